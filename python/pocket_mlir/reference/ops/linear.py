"""Matrix products and convolutions.

A convolution is written once, for NCHW data and OIHW weights; the layout
`nhwc` (weights HWIO) transposes around it. Both gradients go through the
columns of the image: `columns[n, g, c, i, j, y, x]` is what tap (i, j) of
channel c in group g sees when it makes output (y, x).
"""

from __future__ import annotations

import numpy as np

from ..registry import TensorType, op

_NCHW_FROM_NHWC = (0, 3, 1, 2)
_NHWC_FROM_NCHW = (0, 2, 3, 1)
_OIHW_FROM_HWIO = (3, 2, 0, 1)
_HWIO_FROM_OIHW = (2, 3, 1, 0)


def to_nchw(x, layout):
    return x.transpose(_NCHW_FROM_NHWC) if layout == "nhwc" else x


def from_nchw(x, layout):
    return x.transpose(_NHWC_FROM_NCHW) if layout == "nhwc" else x


def nchw_shape(shape, layout):
    return tuple(shape[i] for i in _NCHW_FROM_NHWC) if layout == "nhwc" else tuple(shape)


def _to_oihw(w, layout):
    return w.transpose(_OIHW_FROM_HWIO) if layout == "nhwc" else w


def _from_oihw(w, layout):
    return w.transpose(_HWIO_FROM_OIHW) if layout == "nhwc" else w


# --- Matrix product ---------------------------------------------------------------


@op("matmul")
def matmul(a, b, *, transpose_lhs=False, transpose_rhs=False):
    if transpose_lhs:
        a = np.swapaxes(a, -1, -2)
    if transpose_rhs:
        b = np.swapaxes(b, -1, -2)
    return a @ b


# --- Convolution ------------------------------------------------------------------


def tap_window(tap, out_size, strides, dilations):
    """The part of a padded image, rows and columns, that one tap sees."""
    return tuple(
        slice(t * d, t * d + (n - 1) * s + 1, s)
        for t, n, s, d in zip(tap, out_size, strides, dilations, strict=True)
    )


def _columns(x, kernel, out_size, strides, padding, dilations, groups):
    top, bottom, left, right = padding
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    n, c = x.shape[:2]
    columns = np.empty((n, groups, c // groups, *kernel, *out_size), x.dtype)
    for i, j in np.ndindex(*kernel):
        rows, cols = tap_window((i, j), out_size, strides, dilations)
        columns[:, :, :, i, j] = x[:, :, rows, cols].reshape(n, groups, -1, *out_size)
    return columns


def _image(columns, size, strides, padding, dilations):
    """The transpose of `_columns`: what the taps see, summed up where they saw it."""
    top, bottom, left, right = padding
    n, groups, channels, kh, kw, *out_size = columns.shape
    x = np.zeros((n, groups * channels, size[0] + top + bottom, size[1] + left + right),
                 columns.dtype)
    for i, j in np.ndindex(kh, kw):
        rows, cols = tap_window((i, j), out_size, strides, dilations)
        x[:, :, rows, cols] += columns[:, :, :, i, j].reshape(n, -1, *out_size)
    return x[:, :, top:top + size[0], left:left + size[1]]


def _out_size(size, kernel, strides, padding, dilations):
    pads = (padding[0] + padding[1], padding[2] + padding[3])
    return tuple(
        (n + p - d * (k - 1) - 1) // s + 1
        for n, p, k, s, d in zip(size, pads, kernel, strides, dilations, strict=True)
    )


def _split_groups(w, groups):
    """[O, I, kh, kw] as [groups, O / groups, I, kh, kw]."""
    return w.reshape(groups, -1, *w.shape[1:])


@op("conv2d")
def conv2d(x, w, bias=None, *, strides=(1, 1), padding=(0, 0, 0, 0), dilations=(1, 1),
           groups=1, layout="nchw"):
    x, w = to_nchw(x, layout), _to_oihw(w, layout)
    out_size = _out_size(x.shape[2:], w.shape[2:], strides, padding, dilations)
    columns = _columns(x, w.shape[2:], out_size, strides, padding, dilations, groups)
    y = np.einsum("ngcijyx,gocij->ngoyx", columns, _split_groups(w, groups), optimize=True)
    y = y.reshape(x.shape[0], -1, *out_size)
    if bias is not None:
        y = y + bias.reshape(-1, 1, 1)
    return from_nchw(y, layout)


@op("conv2d_input_grad")
def conv2d_input_grad(dy, w, *, strides=(1, 1), padding=(0, 0, 0, 0), dilations=(1, 1),
                      groups=1, layout="nchw", result_types: list[TensorType]):
    dy, w = to_nchw(dy, layout), _to_oihw(w, layout)
    size = nchw_shape(result_types[0].shape, layout)[2:]
    grouped = dy.reshape(dy.shape[0], groups, -1, *dy.shape[2:])
    columns = np.einsum("ngoyx,gocij->ngcijyx", grouped, _split_groups(w, groups), optimize=True)
    return from_nchw(_image(columns, size, strides, padding, dilations), layout)


@op("conv2d_weight_grad")
def conv2d_weight_grad(x, dy, *, strides=(1, 1), padding=(0, 0, 0, 0), dilations=(1, 1),
                       groups=1, layout="nchw", result_types: list[TensorType]):
    x, dy = to_nchw(x, layout), to_nchw(dy, layout)
    shape = result_types[0].shape
    kernel = shape[:2] if layout == "nhwc" else shape[2:]
    columns = _columns(x, kernel, dy.shape[2:], strides, padding, dilations, groups)
    grouped = dy.reshape(dy.shape[0], groups, -1, *dy.shape[2:])
    dw = np.einsum("ngcijyx,ngoyx->gocij", columns, grouped, optimize=True)
    return _from_oihw(dw.reshape(-1, *dw.shape[2:]), layout)
