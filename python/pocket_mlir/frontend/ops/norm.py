"""Normalisations. Batch and layer norm are operations of the dialect, the others compose."""

from __future__ import annotations

from collections.abc import Sequence

from ..builder import Builder, Tensor
from ..registry import Unsupported, lowers


def _affine(b: Builder, x: Tensor, scale: Tensor | None, bias: Tensor | None) -> Tensor:
    if scale is not None:
        x = b.mul(x, scale)
    return x if bias is None else b.add(x, bias)


def _per_channel(b: Builder, parameter: Tensor | None, rank: int) -> Tensor | None:
    """A vector over dimension 1 of a tensor of `rank` dimensions."""
    if parameter is None:
        return None
    return b.reshape(parameter, [parameter.size] + [1] * (rank - 2))


@lowers("torch.aten._native_batch_norm_legit_no_training")
def batch_norm_inference(b: Builder, x, scale, bias, mean, var, momentum, epsilon):
    if (scale is None) == (bias is None):
        y = b.batch_norm_inference(x, mean, var, scale, bias, float(epsilon))
    else:
        y = b.batch_norm_inference(x, mean, var, None, None, float(epsilon))
        y = _affine(b, y, _per_channel(b, scale, x.rank), _per_channel(b, bias, x.rank))
    return y, None, None


def _batch_statistics(b: Builder, x, scale, bias, epsilon):
    if (scale is None) == (bias is None):
        return b.batch_norm_training(x, scale, bias, float(epsilon))
    y, mean, var = b.batch_norm_training(x, None, None, float(epsilon))
    y = _affine(b, y, _per_channel(b, scale, x.rank), _per_channel(b, bias, x.rank))
    return y, mean, var


@lowers("torch.aten._native_batch_norm_legit_functional")
def batch_norm_training(b: Builder, x, scale, bias, mean, var, training, momentum, epsilon):
    if not training:
        y, _, _ = batch_norm_inference(b, x, scale, bias, mean, var, momentum, epsilon)
        return y, None, None, mean, var
    y, batch_mean, batch_var = _batch_statistics(b, x, scale, bias, epsilon)
    count = x.size // x.shape[1]
    # The running variance takes the unbiased one.
    new_mean = _running(b, mean, batch_mean, momentum, 1.0)
    new_var = _running(b, var, batch_var, momentum, count / max(count - 1, 1))
    return y, None, None, new_mean, new_var


def _running(b: Builder, old: Tensor, batch: Tensor, momentum: float, correction: float):
    kept = b.mul(old, b.scalar(1 - momentum, old.dtype))
    return b.add(kept, b.mul(batch, b.scalar(momentum * correction, old.dtype)))


@lowers("torch.aten._native_batch_norm_legit.no_stats")
def batch_norm_without_statistics(b: Builder, x, scale, bias, training, momentum, epsilon):
    y, _, _ = _batch_statistics(b, x, scale, bias, epsilon)
    return y, None, None


@lowers("torch.aten.layer_norm")
def layer_norm(
    b: Builder, x: Tensor, shape: Sequence[int], scale, bias, epsilon: float, cudnn: bool
) -> Tensor:
    axis = x.rank - len(shape)
    if (scale is None) == (bias is None):
        return b.layer_norm(x, scale, bias, axis, float(epsilon))
    return _affine(b, b.layer_norm(x, None, None, axis, float(epsilon)), scale, bias)


@lowers("torch.aten.native_layer_norm")
def native_layer_norm(b: Builder, x: Tensor, shape: Sequence[int], scale, bias, epsilon: float):
    return layer_norm(b, x, shape, scale, bias, epsilon, False), None, None


@lowers("torch.aten.group_norm")
def group_norm(
    b: Builder, x: Tensor, groups: int, scale, bias, epsilon: float, cudnn: bool
) -> Tensor:
    # A layer norm of each sample's groups, flattened.
    rows = [x.shape[0], groups, x.size // (x.shape[0] * groups)]
    y = b.layer_norm(b.reshape(x, rows), None, None, 2, float(epsilon))
    y = b.reshape(y, x.shape)
    return _affine(b, y, _per_channel(b, scale, x.rank), _per_channel(b, bias, x.rank))


@lowers("torch.aten.native_group_norm")
def native_group_norm(b: Builder, x, scale, bias, n, channels, size, groups: int, epsilon):
    return group_norm(b, x, groups, scale, bias, epsilon, False), None, None


@lowers("torch.aten.instance_norm")
def instance_norm(
    b: Builder, x: Tensor, scale, bias, mean, var, use_input_stats, momentum, epsilon, cudnn
) -> Tensor:
    if mean is not None:
        raise Unsupported(
            "track_running_stats=True",
            "instance norm of each sample's own statistics",
            "nn.InstanceNorm2d(..., track_running_stats=False), or batch norm",
        )
    return group_norm(b, x, x.shape[1], scale, bias, epsilon, False)


@lowers("torch.aten.rms_norm")
def rms_norm(b: Builder, x: Tensor, shape: Sequence[int], scale, epsilon: float | None) -> Tensor:
    if epsilon is None:
        epsilon = 2.0**-23 if x.dtype == "f32" else 2.0**-52
    dims = list(range(x.rank - len(shape), x.rank))
    power = b.mean(b.mul(x, x), dims, keepdims=True)
    factor = b.unary("rsqrt", b.add(power, b.scalar(epsilon, x.dtype)))
    return _affine(b, b.mul(x, factor), scale, None)


@lowers("torch.aten.softmax.int", "torch.aten._softmax", "torch.aten._safe_softmax")
def softmax(b: Builder, x: Tensor, dim: int, *_: object) -> Tensor:
    return _along(b, "softmax", x, dim)


@lowers("torch.aten.log_softmax.int", "torch.aten._log_softmax")
def log_softmax(b: Builder, x: Tensor, dim: int, *_: object) -> Tensor:
    return _along(b, "log_softmax", x, dim)


def _along(b: Builder, name: str, x: Tensor, dim: int) -> Tensor:
    x = b.convert(x, b.out.dtype)
    if x.rank == 0:
        return b.scalar(1.0 if name == "softmax" else 0.0, x.dtype)
    return b.unary(name, x, dim=b.dim(x, dim))


@lowers("torch.aten.local_response_norm")
def local_response_norm(b: Builder, x: Tensor, *_: object) -> Tensor:
    raise Unsupported(str(x), "batch, layer, group, instance and RMS norm")


@lowers("torch.aten._weight_norm")
def weight_norm(b: Builder, v: Tensor, g: Tensor, dim: int) -> Tensor:
    dims = [d for d in range(v.rank) if d != b.dim(v, dim)]
    length = b.unary("sqrt", b.sum(b.mul(v, v), dims, keepdims=True))
    return b.mul(v, b.div(g, length))
