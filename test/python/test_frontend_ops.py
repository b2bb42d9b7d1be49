"""Each operation the frontend lowers, against PyTorch: many to a module, one export each."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from frontend_check import close
from pocket_mlir import frontend, reference


class Cases(nn.Module):
    """Returns the results of every case."""

    def __init__(self, cases):
        super().__init__()
        self.cases = cases
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, *inputs):
        results = []
        for case in self.cases:
            result = case(*inputs)
            results += result if isinstance(result, (tuple, list)) else [result]
        return tuple(results)


def loss(outputs):
    return sum((o.float().sum() for o in outputs), torch.zeros(()))


def check_cases(cases, *inputs, tolerance=1e-5):
    """Every case, a function of the inputs, gives what it gives in PyTorch."""
    model = Cases(cases).eval()
    imported = frontend.import_model(model, inputs, loss, example_targets=())
    arguments = [*imported.parameters.values(), *imported.buffers.values()]
    actual = reference.run(
        imported.module, "predict", arguments + [i.numpy() for i in inputs]
    )
    at = 0
    for number, case in enumerate(cases):
        result = case(*inputs)
        for expected in result if isinstance(result, (tuple, list)) else [result]:
            close(actual[at], expected, f"case {number}", tolerance)
            at += 1
    assert at == len(actual)
    return imported


def test_unary():
    functions = """neg abs exp expm1 sqrt rsqrt reciprocal tanh sigmoid erf sin cos tan sinh cosh
        floor ceil round sign trunc square log log1p log2 log10 exp2 frac""".split()
    positive = {"sqrt", "rsqrt", "log", "log1p", "log2", "log10"}
    cases = [
        (lambda x, n=n: getattr(torch, n)(x.abs() + 0.1 if n in positive else x)) for n in functions
    ]
    check_cases(cases, torch.randn(3, 4) * 2)


def test_activations():
    cases = [
        F.relu,
        F.relu6,
        F.silu,
        F.gelu,
        lambda x: F.gelu(x, approximate="tanh"),
        F.hardswish,
        F.hardsigmoid,
        F.hardtanh,
        lambda x: F.hardtanh(x, -0.5, 2.0),
        F.leaky_relu,
        lambda x: F.leaky_relu(x, 0.2),
        F.elu,
        lambda x: F.elu(x, 0.7),
        F.celu,
        lambda x: F.celu(x, 0.5),
        F.selu,
        F.softplus,
        lambda x: F.softplus(x, 2.0, 1.0),
        F.mish,
        F.logsigmoid,
        F.softsign,
        F.tanhshrink,
        F.hardshrink,
        F.softshrink,
        lambda x: F.threshold(x, 0.1, -2.0),
        F.glu,
        lambda x: F.glu(x, 0),
        lambda x: F.prelu(x, torch.tensor([0.3])),
        lambda x: F.prelu(x, torch.arange(6.0)),
        lambda x: F.softmax(x, -1),
        lambda x: F.softmax(x, 0),
        lambda x: F.log_softmax(x, 1),
        lambda x: F.softmin(x, 1),
        lambda x: F.dropout(x, 0.5, training=False),
        lambda x: F.rrelu(x, training=False),
    ]
    check_cases(cases, torch.randn(4, 6) * 3)


def test_arithmetic():
    cases = [
        lambda x, y, i: x + y,
        lambda x, y, i: torch.add(x, y, alpha=2),
        lambda x, y, i: x + 1,
        lambda x, y, i: 1 - x,
        lambda x, y, i: x - 0.5,
        lambda x, y, i: x * y[0],
        lambda x, y, i: x / (y.abs() + 1),
        lambda x, y, i: 3 / (y.abs() + 1),
        lambda x, y, i: x // 0.7,
        lambda x, y, i: x % 0.7,
        lambda x, y, i: torch.fmod(x, 0.7),
        lambda x, y, i: x**2,
        lambda x, y, i: x**3,
        lambda x, y, i: x.abs() ** 0.5,
        lambda x, y, i: x.abs() ** 1.7,
        lambda x, y, i: (x.abs() + 1) ** -1.5,
        lambda x, y, i: (x.abs() + 1) ** y,
        lambda x, y, i: 2.0**x,
        lambda x, y, i: torch.maximum(x, y),
        lambda x, y, i: torch.minimum(x, y),
        lambda x, y, i: x.clamp(-0.5, 0.5),
        lambda x, y, i: x.clamp(min=0.1),
        lambda x, y, i: x.clamp_max(0.1),
        lambda x, y, i: torch.clamp(x, y - 1, y + 1),
        lambda x, y, i: torch.lerp(x, y, 0.3),
        lambda x, y, i: torch.addcmul(x, x, y, value=0.5),
        lambda x, y, i: torch.rsub(x, y),
        lambda x, y, i: (x * x + y * y).sqrt(),
        lambda x, y, i: x * i,
        lambda x, y, i: i + 1,
        lambda x, y, i: i * 2 - i,
        lambda x, y, i: i / 3,
        lambda x, y, i: i // 3,
        lambda x, y, i: -i // 3,
        lambda x, y, i: i % 3,
        lambda x, y, i: (-i) % 3,
        lambda x, y, i: i.clamp(2, 5),
        lambda x, y, i: i.float() + x,
        lambda x, y, i: x.to(torch.int64),
        lambda x, y, i: x.double() * 2,
        lambda x, y, i: x.half().float(),
        lambda x, y, i: i.to(torch.int32) + 1,
        lambda x, y, i: torch.zeros_like(x) + torch.ones_like(y) + torch.full_like(x, 2.5),
        lambda x, y, i: x.new_zeros(2, 3) + 1,
        lambda x, y, i: x.clone().contiguous().detach(),
    ]
    check_cases(cases, torch.randn(3, 4), torch.randn(3, 4), torch.arange(12).reshape(3, 4))


def test_comparisons_and_logic():
    cases = [
        lambda x, y, m: x > y,
        lambda x, y, m: x >= 0,
        lambda x, y, m: x < y,
        lambda x, y, m: x <= y[0],
        lambda x, y, m: x == x,
        lambda x, y, m: x != y,
        lambda x, y, m: m & (x > 0),
        lambda x, y, m: m | (x > 0),
        lambda x, y, m: m ^ (x > 0),
        lambda x, y, m: ~m,
        lambda x, y, m: torch.logical_and(m, x > 0),
        lambda x, y, m: torch.logical_not(m),
        lambda x, y, m: torch.where(m, x, y),
        lambda x, y, m: torch.where(m, x, 0.0),
        lambda x, y, m: torch.where(m, 1.0, y),
        lambda x, y, m: x.masked_fill(m, float("-inf")),
        lambda x, y, m: x * m,
        lambda x, y, m: m.float(),
        lambda x, y, m: m.any(),
        lambda x, y, m: m.all(1),
        lambda x, y, m: m.sum(1),
        lambda x, y, m: torch.isnan(x),
        lambda x, y, m: torch.isinf(x.log()),
    ]
    x = torch.randn(3, 4)
    x[0, 0] = 0
    check_cases(cases, x.abs() * x.sign(), torch.randn(3, 4), torch.rand(3, 4) > 0.5)


def test_reductions():
    cases = [
        lambda x: x.sum(),
        lambda x: x.sum(1),
        lambda x: x.sum((0, 2), keepdim=True),
        lambda x: x.mean(),
        lambda x: x.mean(-1, keepdim=True),
        lambda x: x.amax(1),
        lambda x: x.amin((0, 1)),
        lambda x: x.max(),
        lambda x: x.min(),
        lambda x: tuple(x.max(1)),
        lambda x: tuple(x.min(-1, keepdim=True)),
        lambda x: x.argmax(1),
        lambda x: x.argmax(),
        lambda x: x.argmin(2, keepdim=True),
        lambda x: x.var(),
        lambda x: x.var(1),
        lambda x: x.var((1, 2), unbiased=False, keepdim=True),
        lambda x: x.std(2),
        lambda x: torch.var_mean(x, 1),
        lambda x: torch.logsumexp(x, 1),
        lambda x: torch.logsumexp(x, (1, 2), keepdim=True),
        lambda x: x.norm(),
        lambda x: x.norm(dim=1),
        lambda x: x.norm(1, dim=1),
        lambda x: torch.linalg.vector_norm(x, 3, dim=1),
        lambda x: torch.linalg.vector_norm(x, float("inf"), dim=1),
        lambda x: F.normalize(x, dim=-1),
        lambda x: F.cosine_similarity(x, x.flip(0), dim=-1),
        lambda x: x.cumsum(1),
        lambda x: x.long().cumsum(2),
        lambda x: x.prod(1),
    ]
    check_cases(cases, torch.randn(2, 3, 4) * 2, tolerance=1e-4)


def test_movement():
    cases = [
        lambda x: x.view(6, 4),
        lambda x: x.reshape(-1),
        lambda x: x.flatten(1),
        lambda x: x.unflatten(2, (2, 2)),
        lambda x: x.permute(2, 0, 1),
        lambda x: x.transpose(0, -1),
        lambda x: x[0].t(),
        lambda x: x.mT,
        lambda x: x.unsqueeze(1).squeeze(1),
        lambda x: x[:, :1].squeeze(),
        lambda x: x.unsqueeze(1).expand(2, 5, 3, 4),
        lambda x: x.expand(2, -1, -1, -1),
        lambda x: x.repeat(2, 1, 3),
        lambda x: x.repeat(2, 1, 1, 1),
        lambda x: x.tile(2),
        lambda x: x.repeat_interleave(2, 1),
        lambda x: x[0],
        lambda x: x[:, -1],
        lambda x: x[..., 1:3],
        lambda x: x[:, ::2],
        lambda x: x[:, -2:],
        lambda x: x[:, None],
        lambda x: x.select(1, -1),
        lambda x: x.narrow(2, 1, 2),
        lambda x: x.split(2, 2),
        lambda x: x.split([1, 3], 2),
        lambda x: x.chunk(3, 1),
        lambda x: x.unbind(1),
        lambda x: torch.cat([x, x * 2], 1),
        lambda x: torch.stack([x, x + 1], -1),
        lambda x: torch.hstack([x, x]),
        lambda x: x.flip(0, 2),
        lambda x: x.roll(1, 1),
        lambda x: x.roll((1, -1), (0, 2)),
        lambda x: x.roll(3),
        lambda x: F.pad(x, (1, 2)),
        lambda x: F.pad(x, (1, 0, 2, 1), value=-1.0),
        lambda x: F.pad(x, (-1, 1)),
        lambda x: F.pad(x, (1, 2), mode="reflect"),
        lambda x: F.pad(x, (1, 2), mode="replicate"),
        lambda x: F.pad(x, (1, 2), mode="circular"),
        lambda x: F.pad(x.long(), (1, 2), value=7),
        lambda x: F.pixel_shuffle(x.reshape(1, 4, 2, 3), 2),
        lambda x: F.pixel_unshuffle(x.reshape(1, 1, 4, 6), 2),
        lambda x: F.channel_shuffle(x.reshape(1, 4, 2, 3), 2),
        lambda x: torch.diagonal(x, 0, 1, 2),
        lambda x: torch.diagonal(x, 1, 1, 2),
        lambda x: torch.diagonal(x, -1, 1, 2),
        lambda x: x.tril(),
        lambda x: x.triu(1),
        lambda x: x.unfold(2, 3, 1),
        lambda x: torch.meshgrid(x[0, 0], x[0, 1], indexing="ij"),
        lambda x: x.swapaxes(0, 1).movedim(0, 2),
    ]
    check_cases(cases, torch.randn(2, 3, 4))


def test_linear():
    cases = [
        lambda a, b, v: F.linear(a, b.t()),
        lambda a, b, v: F.linear(a.expand(2, 3, 3, 4), b.t(), torch.arange(5.0)),
        lambda a, b, v: F.linear(v, b.t()),
        lambda a, b, v: a @ b,
        lambda a, b, v: a.expand(2, 3, 4) @ b,
        lambda a, b, v: a.expand(2, 3, 4) @ b.expand(2, 4, 5),
        lambda a, b, v: a.expand(2, 1, 3, 4) @ b.expand(3, 4, 5),
        lambda a, b, v: a @ v,
        lambda a, b, v: v @ b,
        lambda a, b, v: v @ v,
        lambda a, b, v: v @ b.expand(2, 4, 5),
        lambda a, b, v: torch.mm(a, b),
        lambda a, b, v: torch.bmm(a.expand(2, 3, 4), b.expand(2, 4, 5)),
        lambda a, b, v: torch.addmm(torch.ones(5), a, b, beta=0.5, alpha=2),
        lambda a, b, v: torch.baddbmm(torch.ones(2, 3, 5), a.expand(2, 3, 4), b.expand(2, 4, 5)),
        lambda a, b, v: torch.outer(v, v),
        lambda a, b, v: torch.einsum("ij,jk->ik", a, b),
        lambda a, b, v: torch.einsum("bij,bjk->bki", a.expand(2, 3, 4), b.expand(2, 4, 5)),
        lambda a, b, v: torch.einsum("i,j->ij", v, v),
        lambda a, b, v: torch.tensordot(a, b, 1),
        lambda a, b, v: torch.kron(a, b),
    ]
    check_cases(cases, torch.randn(3, 4), torch.randn(4, 5), torch.randn(4), tolerance=1e-4)


def test_convolutions():
    w = torch.randn
    cases = [
        lambda x: F.conv2d(x, K["dense"], K["bias"]),
        lambda x: F.conv2d(x, K["dense"], stride=2, padding=1),
        lambda x: F.conv2d(x, K["dense"], stride=(2, 1), padding=(0, 2), dilation=(1, 2)),
        lambda x: F.conv2d(x, K["depthwise"], padding=1, groups=4),
        lambda x: F.conv2d(x, K["grouped"], groups=2),
        lambda x: F.conv2d(x, K["dense"], padding="same"),
        lambda x: F.conv2d(x, K["even"], padding="same"),
        lambda x: F.conv2d(x, K["dense"], padding="valid"),
        lambda x: F.conv2d(x[0], K["dense"]),
        lambda x: F.conv1d(x[:, :, 0], K["line"], K["bias"], stride=2, padding=1),
        lambda x: F.conv1d(x[0, :, 0], K["line"]),
        lambda x: F.conv_transpose2d(x, K["up"], K["bias"], stride=2, padding=1),
        lambda x: F.conv_transpose2d(x, K["up"], stride=2, output_padding=1, dilation=2),
        lambda x: F.conv_transpose2d(x, K["up grouped"], groups=2),
        lambda x: F.conv_transpose1d(x[:, :, 0], K["up line"], stride=3, padding=1),
    ]
    K = {
        "dense": w(6, 4, 3, 3),
        "bias": w(6),
        "depthwise": w(8, 1, 3, 3),
        "grouped": w(6, 2, 3, 3),
        "even": w(6, 4, 2, 4),
        "line": w(6, 4, 3),
        "up": w(4, 6, 3, 3),
        "up grouped": w(4, 3, 2, 3),
        "up line": w(4, 6, 3),
    }
    check_cases(cases, torch.randn(2, 4, 8, 8), tolerance=1e-4)


def test_pools():
    cases = [
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.max_pool2d(x, 3, 2, 1),
        lambda x: F.max_pool2d(x, (3, 2), (2, 1), dilation=(1, 2)),
        lambda x: F.max_pool2d(x, 2, ceil_mode=True),
        lambda x: F.max_pool2d(x[0], 2),
        lambda x: F.max_pool1d(x[:, :, 0], 3, 2, 1),
        lambda x: F.max_pool1d(x[0, :, 0], 2),
        lambda x: F.avg_pool2d(x, 2),
        lambda x: F.avg_pool2d(x, 3, 2, 1),
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        lambda x: F.avg_pool2d(x, 2, ceil_mode=True),
        lambda x: F.avg_pool1d(x[:, :, 0], 2),
        lambda x: F.adaptive_avg_pool2d(x, 1),
        lambda x: F.adaptive_avg_pool2d(x, (3, 1)),
        lambda x: F.adaptive_avg_pool2d(x, (2, 4)),
        lambda x: F.adaptive_avg_pool2d(x, (None, 2)),
        lambda x: F.adaptive_avg_pool1d(x[:, :, 0], 1),
        lambda x: F.adaptive_avg_pool1d(x[:, :, 0], 4),
        lambda x: F.adaptive_max_pool2d(x, (3, 1)),
        lambda x: F.adaptive_max_pool1d(x[:, 0].mT, 3),
        lambda x: F.interpolate(x, scale_factor=2),
        lambda x: F.interpolate(x, size=(5, 12)),
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda x: F.interpolate(x, size=(5, 12), mode="bilinear", align_corners=True),
        lambda x: F.interpolate(x, size=(5, 12), mode="nearest-exact"),
        lambda x: F.interpolate(x[:, :, 0], scale_factor=2, mode="linear"),
    ]
    check_cases(cases, torch.randn(2, 3, 9, 7))


def test_norms():
    c = torch.rand
    cases = [
        lambda x: F.batch_norm(x, S[0], S[1], S[2], S[3]),
        lambda x: F.batch_norm(x, S[0], S[1]),
        lambda x: F.batch_norm(x, S[0], S[1], weight=S[2]),
        lambda x: F.batch_norm(x, None, None, S[2], S[3], training=True),
        lambda x: F.layer_norm(x, (5,), S[4], S[5]),
        lambda x: F.layer_norm(x, (5,)),
        lambda x: F.layer_norm(x, (5,), S[4]),
        lambda x: F.layer_norm(x, (5, 5)),
        lambda x: F.group_norm(x, 2, S[2], S[3]),
        lambda x: F.group_norm(x, 4),
        lambda x: F.instance_norm(x),
        lambda x: F.instance_norm(x, weight=S[2], bias=S[3]),
        lambda x: F.rms_norm(x, (5,), S[4]),
        lambda x: F.rms_norm(x, (5, 5), eps=1e-3),
    ]
    S = [c(4), c(4) + 0.5, c(4), c(4), c(5), c(5)]
    check_cases(cases, torch.randn(2, 4, 5, 5), tolerance=1e-4)


def test_attention():
    sdpa = F.scaled_dot_product_attention
    mask = torch.rand(4, 6) > 0.3
    mask[:, 0] = True
    cases = [
        lambda q, k, v: sdpa(q, k, v),
        lambda q, k, v: sdpa(q, k, v, scale=0.2),
        lambda q, k, v: sdpa(q, q, q, is_causal=True),
        lambda q, k, v: sdpa(q, k, v, attn_mask=mask),
        lambda q, k, v: sdpa(q, k, v, attn_mask=mask.float()),
        lambda q, k, v: sdpa(q[0], k[0], v[0]),
        lambda q, k, v: sdpa(q[0], k[0], v[0], attn_mask=mask.expand(2, 4, 6)),
        lambda q, k, v: sdpa(q[0, 0], k[0, 0], v[0, 0]),
        lambda q, k, v: sdpa(q, k[:, :1], v[:, :1], enable_gqa=True),
    ]
    check_cases(cases, torch.randn(3, 2, 4, 8), torch.randn(3, 2, 6, 8), torch.randn(3, 2, 6, 5))


def test_indexing():
    cases = [
        lambda x, i: F.embedding(i, x),
        lambda x, i: F.embedding(i, x, padding_idx=1),
        lambda x, i: torch.gather(x, 1, i),
        lambda x, i: torch.gather(x, 0, i),
        lambda x, i: torch.take_along_dim(x[:2], i, 1),
        lambda x, i: x.index_select(1, i[0]),
        lambda x, i: x.index_select(0, i[1]),
        lambda x, i: x[i],
        lambda x, i: x[:, i],
        lambda x, i: x[i[:, 0], i[:, 1]],
        lambda x, i: x[torch.arange(2), i[:, 0]],
        lambda x, i: x[:, [2, 0]],
        lambda x, i: x[[-1, 0]],
        lambda x, i: x[i - 3],
        lambda x, i: x.expand(5, 3, 3)[:, i[0], i[1]],
        lambda x, i: x.expand(5, 3, 3)[i[0], :, i[1]],
        lambda x, i: F.one_hot(i, 4),
        lambda x, i: x.expand(2, 3, 3).select_scatter(x * 2, 0, 1),
        lambda x, i: torch.isin(i, torch.tensor([1, 2])),
    ]
    check_cases(cases, torch.randn(3, 3), torch.tensor([[0, 2, 1], [1, 1, 2]]))


def test_assignments_in_place():
    def fill(x):
        y = x.clone()
        y[:, 0] = 1.0
        y[1] *= 2
        y[:, 1:] += x[:, 1:]
        return y

    def masked(x):
        y = x.clone()
        y[y > 0] = 0.5
        return y.relu_().add_(1)

    check_cases([fill, masked], torch.randn(3, 4))


def test_losses():
    t, w = torch.tensor([0, 2, 1, 2]), torch.tensor([1.0, 2.0, 0.5])
    cases = [
        lambda x, y: F.cross_entropy(x, t),
        lambda x, y: F.cross_entropy(x, t, reduction="sum"),
        lambda x, y: F.cross_entropy(x, t, reduction="none"),
        lambda x, y: F.cross_entropy(x, t, ignore_index=2, label_smoothing=0.1),
        lambda x, y: F.cross_entropy(x, t, weight=w),
        lambda x, y: F.cross_entropy(x, t, weight=w, ignore_index=2, label_smoothing=0.2),
        lambda x, y: F.cross_entropy(x, t, weight=w, reduction="none"),
        lambda x, y: F.cross_entropy(x, y.softmax(1)),
        lambda x, y: F.cross_entropy(x, y.softmax(1), weight=w, label_smoothing=0.1),
        lambda x, y: F.cross_entropy(x.reshape(2, 3, 2), t.reshape(2, 2)),
        lambda x, y: F.cross_entropy(x.reshape(2, 3, 2), t.reshape(2, 2), reduction="none"),
        lambda x, y: F.cross_entropy(x[0], t[0]),
        lambda x, y: F.nll_loss(x.log_softmax(1), t),
        lambda x, y: F.nll_loss(x.log_softmax(1), t, weight=w, ignore_index=1),
        lambda x, y: F.mse_loss(x, y),
        lambda x, y: F.mse_loss(x, y, reduction="sum"),
        lambda x, y: F.l1_loss(x, y),
        lambda x, y: F.huber_loss(x, y),
        lambda x, y: F.huber_loss(x, y, delta=0.3),
        lambda x, y: F.smooth_l1_loss(x, y),
        lambda x, y: F.smooth_l1_loss(x, y, beta=0.3),
        lambda x, y: F.binary_cross_entropy_with_logits(x * 30, y.sigmoid()),
        lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid(), pos_weight=w),
        lambda x, y: F.binary_cross_entropy(x.sigmoid(), y.sigmoid()),
        lambda x, y: F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"),
        lambda x, y: F.kl_div(x.log_softmax(1), y.log_softmax(1), log_target=True),
        lambda x, y: F.cosine_embedding_loss(x, y, torch.tensor([1, -1, 1, 1])),
        lambda x, y: F.margin_ranking_loss(x[0], x[1], torch.ones(3)),
        lambda x, y: F.triplet_margin_loss(x, y, x + 1),
        lambda x, y: F.soft_margin_loss(x, torch.ones(4, 3)),
        lambda x, y: F.poisson_nll_loss(x, y.exp()),
    ]
    check_cases(cases, torch.randn(4, 3), torch.randn(4, 3))


@pytest.mark.parametrize("layer", [nn.GRU, nn.LSTM, nn.RNN])
def test_recurrent(layer):
    torch.manual_seed(0)
    rnn = layer(3, 4, batch_first=True)
    model = nn.Sequential(rnn)
    x = torch.randn(2, 3, 3)
    imported = frontend.import_model(
        model, (x,), lambda outputs: outputs[0].sum(), example_targets=()
    )
    arguments = [*imported.parameters.values(), x.numpy()]
    actual = reference.run(imported.module, "predict", arguments)
    close(actual[0], model(x)[0], "outputs")
    assert isinstance(frontend.unflatten(imported.output_tree, actual), tuple)
    assert np.isfinite(actual[0]).all()
