"""The models of models.py in plain JAX (jax.numpy, jax.lax, jax.nn), and a training step.

Weights and statistics are flat dictionaries with the names of PyTorch's state_dict, so that
every layer below reads as the module of that name. Images are channels-last (NHWC), weights
of convolutions HWIO, weights of linear layers (inputs, outputs).
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# Repeats models.MobileNetV2: (expand, blocks, stride). The channels are in the weights.
MOBILENETV2 = ((1, 1, 1), (6, 2, 2), (6, 3, 2), (6, 4, 2), (6, 3, 1), (6, 3, 2), (6, 1, 1))
RESNET18_STRIDES = (1, 1, 2, 1, 2, 1, 2, 1)
BLOCKS, HEADS = 4, 4


def arrays(model) -> tuple[dict, dict]:
    """Trainable weights and statistics of a PyTorch model, in JAX's layouts."""
    trainable = {name for name, _ in model.named_parameters()}
    weights, statistics = {}, {}
    for name, tensor in model.state_dict().items():
        if name.endswith("num_batches_tracked"):
            continue
        value = tensor.detach().numpy()
        if value.ndim == 4:
            value = value.transpose(2, 3, 1, 0)
        elif value.ndim == 2:
            value = value.T
        # A copy: on the CPU, JAX would otherwise use (and, donated, overwrite) PyTorch's memory.
        (weights if name in trainable else statistics)[name] = jnp.array(np.ascontiguousarray(value), copy=True)
    return weights, statistics


class Scope:
    """What the layers of one step read, and the statistics that they leave behind."""

    def __init__(self, weights: dict, statistics: dict, training: bool):
        self.weights, self.statistics, self.training = weights, dict(statistics), training

    def linear(self, name, x):
        return x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def conv(self, name, x, stride):
        weight = self.weights[f"{name}.weight"]
        inputs, padding = weight.shape[2], weight.shape[0] // 2
        if inputs == 1:
            return depthwise(x, weight, stride, padding)
        return lax.conv_general_dilated(
            x, weight, (stride, stride), ((padding, padding),) * 2, dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    def batch_norm(self, name, x, momentum=0.1, epsilon=1e-5):
        if self.training:
            count = x.size // x.shape[-1]
            mean = x.mean((0, 1, 2))
            variance = jnp.square(x - mean).mean((0, 1, 2))
            for key, value in (("mean", mean), ("var", variance * (count / (count - 1)))):
                key = f"{name}.running_{key}"
                self.statistics[key] += momentum * (lax.stop_gradient(value) - self.statistics[key])
        else:
            mean, variance = self.statistics[f"{name}.running_mean"], self.statistics[f"{name}.running_var"]
        scale = self.weights[f"{name}.weight"] * lax.rsqrt(variance + epsilon)
        return (x - mean) * scale + self.weights[f"{name}.bias"]

    def conv_norm(self, name, x, stride=1):
        return self.batch_norm(f"{name}.1", self.conv(f"{name}.0", x, stride))

    def layer_norm(self, name, x, epsilon=1e-5):
        mean = x.mean(-1, keepdims=True)
        variance = jnp.square(x - mean).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + epsilon) * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def depthwise(x, weight, stride, padding):
    """A sum of shifted images; XLA has no kernel of its own for convolutions of groups on the CPU.

    conv_general_dilated(feature_group_count=channels) takes 18 to 140 times as long, its
    gradients 3 to 900 times (shapes of MobileNetV2, jaxlib 0.10.2).
    """
    batch, height, width, channels = x.shape
    size = weight.shape[0]
    rows, columns = ((extent + 2 * padding - size) // stride + 1 for extent in (height, width))
    x = jnp.pad(x, ((0, 0), (padding, padding), (padding, padding), (0, 0)))

    def shifted(i, j):
        end = (batch, i + (rows - 1) * stride + 1, j + (columns - 1) * stride + 1, channels)
        return lax.slice(x, (0, i, j, 0), end, (1, stride, stride, 1))

    return sum(shifted(i, j) * weight[i, j, 0] for i in range(size) for j in range(size))


def relu6(x):
    # Unlike jax.nn.relu6, with PyTorch's derivative at 0 and 6.
    return lax.clamp(0.0, x, 6.0)


def mobilenetv2(scope: Scope, x):
    x = relu6(scope.conv_norm("features.0", x, 2))
    index = 1
    for expand, blocks, stride in MOBILENETV2:
        for block in range(blocks):
            y, part = x, 0
            if expand != 1:
                y, part = relu6(scope.conv_norm(f"features.{index}.conv.0", y)), 1
            y = relu6(scope.conv_norm(f"features.{index}.conv.{part}", y, stride if block == 0 else 1))
            y = scope.conv_norm(f"features.{index}.conv.{part + 1}", y)
            x = x + y if x.shape == y.shape else y
            index += 1
    x = relu6(scope.conv_norm(f"features.{index}", x))
    return scope.linear("classifier", x.mean((1, 2)))


def resnet18(scope: Scope, x):
    x = jax.nn.relu(scope.conv_norm("stem.0", x, 2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))
    for i, stride in enumerate(RESNET18_STRIDES):
        y = jax.nn.relu(scope.conv_norm(f"layers.{i}.conv1", x, stride))
        y = scope.conv_norm(f"layers.{i}.conv2", y)
        if f"layers.{i}.downsample.0.weight" in scope.weights:
            x = scope.conv_norm(f"layers.{i}.downsample", x, stride)
        x = jax.nn.relu(y + x)
    return scope.linear("fc", x.mean((1, 2)))


def transformer(scope: Scope, x):
    batch, length, width = x.shape
    for i in range(BLOCKS):
        name = f"blocks.{i}"
        query, key, value = (
            scope.linear(f"{name}.{part}", x).reshape(batch, length, HEADS, width // HEADS)
            for part in ("query", "key", "value")
        )
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) * (width // HEADS) ** -0.5
        y = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value).reshape(batch, length, width)
        x = scope.layer_norm(f"{name}.norm1", x + scope.linear(f"{name}.out", y))
        y = scope.linear(f"{name}.down", jax.nn.gelu(scope.linear(f"{name}.up", x), approximate=True))
        x = scope.layer_norm(f"{name}.norm2", x + y)
    return scope.linear("head", x[:, 0])


FORWARD = {"mobilenetv2": mobilenetv2, "resnet18": resnet18, "transformer": transformer}


@functools.partial(jax.jit, static_argnames=("name", "training"), donate_argnums=(0, 1))
def sgd_step(weights: dict, statistics: dict, x, targets, lr, *, name: str, training: bool):
    """One step of SGD on cross entropy: new weights, new statistics, the loss before."""

    def loss_of(weights):
        scope = Scope(weights, statistics, training)
        scores = jax.nn.log_softmax(FORWARD[name](scope, x))
        return -jnp.take_along_axis(scores, targets[:, None], 1).mean(), scope.statistics

    (loss, statistics), gradients = jax.value_and_grad(loss_of, has_aux=True)(weights)
    return jax.tree.map(lambda w, g: w - lr * g, weights, gradients), statistics, loss


class Trainer:
    """The training of a PyTorch model of models.py, continued in JAX in the mode the model is in."""

    def __init__(self, name: str, model, x, targets, lr: float):
        self.weights, self.statistics = arrays(model)
        x = x.numpy()
        self.x = jnp.array(x.transpose(0, 2, 3, 1) if x.ndim == 4 else x)
        self.targets = jnp.array(targets.numpy(), jnp.int32)
        self.run = functools.partial(sgd_step, lr=jnp.asarray(lr), name=name, training=model.training)

    def step(self) -> float:
        self.weights, self.statistics, loss = self.run(self.weights, self.statistics, self.x, self.targets)
        jax.block_until_ready(self.weights)
        return float(loss)
