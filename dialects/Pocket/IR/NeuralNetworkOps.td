#ifndef POCKET_IR_NEURALNETWORKOPS
#define POCKET_IR_NEURALNETWORKOPS
include "Pocket/IR/PocketBase.td"

//===----------------------------------------------------------------------===//
// Matrix products and convolutions
//===----------------------------------------------------------------------===//

def Pocket_MatmulOp : Pocket_InferredOp<"matmul", [Pocket_Differentiable]> {
  let summary = "Matrix product, batched over equal leading dimensions";
  let description = [{
    `lhs` is `[..., M, K]` (`[..., K, M]` with `transpose_lhs`), `rhs`
    `[..., K, N]` (`[..., N, K]` with `transpose_rhs`), the result `[..., M, N]`.
  }];
  let arguments = (ins Pocket_FloatTensor:$lhs, Pocket_FloatTensor:$rhs, UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs (`transposed` $transpose_lhs^)? `,` $rhs (`transposed` $transpose_rhs^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasCanonicalizer = 1;
}

class Pocket_ConvAttributes {
  dag attributes = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
                        DefaultValuedAttr<Pocket_I64Attr, "1">:$groups,
                        DefaultValuedAttr<Pocket_LayoutAttr, "::pocket::Layout::NCHW">:$layout);
  string format = [{ (`strides` `=` $strides^)? (`padding` `=` $padding^)? (`dilations` `=` $dilations^)?
                     (`groups` `=` $groups^)? (`layout` `=` custom<Keyword>($layout)^)? attr-dict `:` functional-type(operands, results)}];
}
defvar conv = Pocket_ConvAttributes<>;

def Pocket_Conv2dOp : Pocket_InferredOp<"conv2d", [Pocket_Differentiable]> {
  let summary = "Two-dimensional convolution (cross-correlation), grouped, with an optional bias";
  let description = [{
    With layout `nchw` the input is `[N, C, H, W]` and the filter
    `[F, C / groups, KH, KW]`; with `nhwc` the input is `[N, H, W, C]` and the
    filter `[KH, KW, C / groups, F]`. `padding` is top, bottom, left, right. The
    bias is `[F]`.
  }];
  let arguments = !con((ins Pocket_FloatTensor:$input, Pocket_FloatTensor:$filter, Optional<Pocket_FloatTensor>:$bias), conv.attributes);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = !strconcat("$input `,` $filter (`bias` $bias^)?", conv.format);
}

def Pocket_Conv2dInputGradOp : Pocket_Op<"conv2d_input_grad", [Pure, Pocket_Differentiable]> {
  let summary = "Gradient of conv2d for its input (a transposed convolution)";
  let arguments = !con((ins Pocket_FloatTensor:$cotangent, Pocket_FloatTensor:$filter), conv.attributes);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = !strconcat("$cotangent `,` $filter", conv.format);
  let hasVerifier = 1;
}

def Pocket_Conv2dWeightGradOp : Pocket_Op<"conv2d_weight_grad", [Pure]> {
  let summary = "Gradient of conv2d for its filter";
  let arguments = !con((ins Pocket_FloatTensor:$input, Pocket_FloatTensor:$cotangent), conv.attributes);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = !strconcat("$input `,` $cotangent", conv.format);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

class Pocket_MaxPoolAttributes {
  dag attributes = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations, UnitAttr:$ceil_mode,
                        DefaultValuedAttr<Pocket_LayoutAttr, "::pocket::Layout::NCHW">:$layout);
  string format = [{ `kernel` `=` $kernel `strides` `=` $strides (`padding` `=` $padding^)? (`dilations` `=` $dilations^)?
                     (`ceil_mode` $ceil_mode^)? (`layout` `=` custom<Keyword>($layout)^)? attr-dict `:` functional-type(operands, results)}];
}
defvar maxPool = Pocket_MaxPoolAttributes<>;
class Pocket_AvgPoolAttributes {
  dag attributes = (ins DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                        DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$padding, UnitAttr:$ceil_mode,
                        DefaultValuedAttr<BoolAttr, "true">:$count_include_pad,
                        DefaultValuedAttr<Pocket_LayoutAttr, "::pocket::Layout::NCHW">:$layout);
  string format = [{ `kernel` `=` $kernel `strides` `=` $strides (`padding` `=` $padding^)? (`ceil_mode` $ceil_mode^)?
                     (`count_include_pad` `=` $count_include_pad^)? (`layout` `=` custom<Keyword>($layout)^)? attr-dict
                     `:` functional-type(operands, results)}];
}
defvar avgPool = Pocket_AvgPoolAttributes<>;

def Pocket_MaxPool2dOp : Pocket_InferredOp<"max_pool2d", [Pocket_Differentiable]> {
  let summary = "Two-dimensional maximum pool, with the place of each maximum in its window";
  let description = [{
    `index` is the row-major position in the kernel, `kh * KW + kw`, of the first
    maximum (of the last NaN if there is one, as in PyTorch): one byte per result
    instead of the input is all that the gradient reads. It is `i8` for kernels of up to 128
    taps, else `i32`. Output sizes are PyTorch's, `ceil_mode` included; padded
    places are never the maximum.
  }];
  let arguments = !con((ins Pocket_FloatTensor:$input), maxPool.attributes);
  let results = (outs Pocket_FloatTensor:$result, Pocket_TapTensor:$index);
  let assemblyFormat = !strconcat("$input", maxPool.format);
}
def Pocket_MaxPool2dGradOp : Pocket_Op<"max_pool2d_grad", [Pure]> {
  let summary = "Gradient of max_pool2d: each cotangent added at its window's maximum";
  let arguments = !con((ins Pocket_FloatTensor:$cotangent, Pocket_TapTensor:$index), maxPool.attributes);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = !strconcat("$cotangent `,` $index", maxPool.format);
  let hasVerifier = 1;
}
def Pocket_AvgPool2dOp : Pocket_InferredOp<"avg_pool2d", [Pocket_Differentiable]> {
  let summary = "Two-dimensional average pool";
  let description = [{
    The divisor is PyTorch's: the part of the window inside the padded input, or
    inside the input itself without `count_include_pad`.
  }];
  let arguments = !con((ins Pocket_FloatTensor:$input), avgPool.attributes);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = !strconcat("$input", avgPool.format);
}
def Pocket_AvgPool2dGradOp : Pocket_Op<"avg_pool2d_grad", [Pure]> {
  let summary = "Gradient of avg_pool2d";
  let arguments = !con((ins Pocket_FloatTensor:$cotangent), avgPool.attributes);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = !strconcat("$cotangent", avgPool.format);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

def Pocket_BatchNormInferenceOp : Pocket_InferredOp<"batch_norm_inference", [AttrSizedOperandSegments, Pocket_Differentiable]> {
  let summary = "Batch norm with given statistics: (x - mean) / sqrt(variance + epsilon) * scale + bias";
  let description = "Statistics, scale and bias are `[C]`, C the size of dimension `channel_dim`.";
  let arguments = (ins Pocket_FloatTensor:$input, Pocket_FloatTensor:$mean, Pocket_FloatTensor:$variance,
                       Optional<Pocket_FloatTensor>:$scale, Optional<Pocket_FloatTensor>:$bias,
                       F64Attr:$epsilon, DefaultValuedAttr<Pocket_I64Attr, "1">:$channel_dim);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = [{$input `mean` $mean `variance` $variance (`scale` $scale^ `bias` $bias)? `epsilon` `=` $epsilon
                         (`channel_dim` `=` $channel_dim^)? attr-dict `:` functional-type(operands, results)}];
}
def Pocket_BatchNormTrainingOp : Pocket_InferredOp<"batch_norm_training", [AttrSizedOperandSegments, Pocket_Differentiable]> {
  let summary = "Batch norm with the batch's own statistics, which are further results";
  let description = [{
    `mean` and `variance` (the biased one) are taken over all dimensions but
    `channel_dim`. Running statistics are the caller's to update.
  }];
  let arguments = (ins Pocket_FloatTensor:$input, Optional<Pocket_FloatTensor>:$scale, Optional<Pocket_FloatTensor>:$bias,
                       F64Attr:$epsilon, DefaultValuedAttr<Pocket_I64Attr, "1">:$channel_dim);
  let results = (outs Pocket_FloatTensor:$result, Pocket_FloatTensor:$mean, Pocket_FloatTensor:$variance);
  let assemblyFormat = [{$input (`scale` $scale^ `bias` $bias)? `epsilon` `=` $epsilon
                         (`channel_dim` `=` $channel_dim^)? attr-dict `:` functional-type(operands, results)}];
}
def Pocket_BatchNormReduceGradOp : Pocket_InferredOp<"batch_norm_reduce_grad"> {
  let summary = "The sums that batch norm's gradients share: sum of dy, sum of dy (x - mean), per channel";
  let arguments = (ins Pocket_FloatTensor:$cotangent, Pocket_FloatTensor:$input, Pocket_FloatTensor:$mean,
                       DefaultValuedAttr<Pocket_I64Attr, "1">:$channel_dim);
  let results = (outs Pocket_FloatTensor:$sum, Pocket_FloatTensor:$sum_centered);
  let assemblyFormat = [{$cotangent `,` $input `mean` $mean (`channel_dim` `=` $channel_dim^)? attr-dict
                         `:` functional-type(operands, results)}];
}

def Pocket_LayerNormOp : Pocket_InferredOp<"layer_norm", [AttrSizedOperandSegments, Pocket_Differentiable]> {
  let summary = "Layer norm over the dimensions from `axis` on";
  let description = [{
    `scale` and `bias` have the normalized dimensions' shape. `mean` and `rstd`
    (1 / sqrt(biased variance + epsilon)) have the leading dimensions' shape.
  }];
  let arguments = (ins Pocket_FloatTensor:$input, Optional<Pocket_FloatTensor>:$scale, Optional<Pocket_FloatTensor>:$bias,
                       Pocket_I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Pocket_FloatTensor:$result, Pocket_FloatTensor:$mean, Pocket_FloatTensor:$rstd);
  let assemblyFormat = [{$input (`scale` $scale^ `bias` $bias)? `axis` `=` $axis `epsilon` `=` $epsilon attr-dict
                         `:` functional-type(operands, results)}];
}
def Pocket_LayerNormInputGradOp : Pocket_Op<"layer_norm_input_grad", [Pure]> {
  let summary = "Gradient of layer_norm for its input";
  let arguments = (ins Pocket_FloatTensor:$cotangent, Pocket_FloatTensor:$input, Pocket_FloatTensor:$mean, Pocket_FloatTensor:$rstd,
                       Optional<Pocket_FloatTensor>:$scale, Pocket_I64Attr:$axis);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = [{$cotangent `,` $input `mean` $mean `rstd` $rstd (`scale` $scale^)? `axis` `=` $axis attr-dict
                         `:` functional-type(operands, results)}];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Softmax, attention, cross entropy
//===----------------------------------------------------------------------===//

class Pocket_SoftmaxOpBase<string mnemonic, string text>
    : Pocket_Op<mnemonic, [Pure, SameOperandsAndResultType, Pocket_Differentiable]> {
  let summary = text;
  let arguments = (ins Pocket_FloatTensor:$input, Pocket_I64Attr:$dim);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` type($input)";
  let hasVerifier = 1;
}
class Pocket_SoftmaxGradOpBase<string mnemonic, string text> : Pocket_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = text;
  let arguments = (ins Pocket_FloatTensor:$cotangent, Pocket_FloatTensor:$output, Pocket_I64Attr:$dim);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = "$cotangent `,` $output `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Pocket_SoftmaxOp : Pocket_SoftmaxOpBase<"softmax", "e^x over its sum along a dimension">;
def Pocket_SoftmaxGradOp : Pocket_SoftmaxGradOpBase<"softmax_grad", "Gradient of softmax: y (g - sum(g y))">;
def Pocket_LogSoftmaxOp : Pocket_SoftmaxOpBase<"log_softmax", "Logarithm of softmax along a dimension">;
def Pocket_LogSoftmaxGradOp : Pocket_SoftmaxGradOpBase<"log_softmax_grad", "Gradient of log_softmax: g - e^y sum(g)">;

def Pocket_AttentionOp : Pocket_InferredOp<"attention", [Pocket_Differentiable]> {
  let summary = "softmax(scale query key^T + mask) value";
  let description = [{
    `query` is `[B, H, T, E]`, `key` `[B, H, S, E]`, `value` `[B, H, S, V]`. The mask
    broadcasts to `[B, H, T, S]`: a float is added to the scores, a boolean says
    what takes part. With `is_causal` position t sees positions up to t only. The second
    result holds the probabilities, which the gradient reads.
  }];
  let arguments = (ins Pocket_FloatTensor:$query, Pocket_FloatTensor:$key, Pocket_FloatTensor:$value,
                       Optional<Pocket_MaskTensor>:$mask, F64Attr:$scale, UnitAttr:$is_causal);
  let results = (outs Pocket_FloatTensor:$result, Pocket_FloatTensor:$probabilities);
  let assemblyFormat = [{$query `,` $key `,` $value (`mask` $mask^)? `scale` `=` $scale (`causal` $is_causal^)? attr-dict
                         `:` functional-type(operands, results)}];
}

def Pocket_CrossEntropyOp : Pocket_InferredOp<"cross_entropy", [Pocket_Differentiable]> {
  let summary = "Cross entropy of logits and class indices";
  let description = [{
    `logits` are `[N, C]`, `targets` `[N]`. Samples whose target is `ignore_index`
    count neither in the sum nor in the mean's divisor. `label_smoothing` s
    mixes the one-hot target with the uniform distribution, (1 - s) to s, as
    PyTorch does. `logsumexp` is `[N]` and spares the gradient a pass.
  }];
  let arguments = (ins Pocket_FloatTensor:$logits, Pocket_IntTensor:$targets,
                       DefaultValuedAttr<Pocket_I64Attr, "-100">:$ignore_index, DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing,
                       DefaultValuedAttr<Pocket_ReductionAttr, "::pocket::LossReduction::MEAN">:$reduction);
  let results = (outs Pocket_FloatTensor:$loss, Pocket_FloatTensor:$logsumexp);
  let assemblyFormat = [{$logits `,` $targets (`ignore_index` `=` $ignore_index^)? (`label_smoothing` `=` $label_smoothing^)?
                         (`reduction` `=` custom<Keyword>($reduction)^)? attr-dict `:` functional-type(operands, results)}];
}
def Pocket_CrossEntropyGradOp : Pocket_Op<"cross_entropy_grad", [Pure]> {
  let summary = "Gradient of cross_entropy for the logits";
  let arguments = (ins Pocket_FloatTensor:$cotangent, Pocket_FloatTensor:$logits, Pocket_IntTensor:$targets, Pocket_FloatTensor:$logsumexp,
                       DefaultValuedAttr<Pocket_I64Attr, "-100">:$ignore_index, DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing,
                       DefaultValuedAttr<Pocket_ReductionAttr, "::pocket::LossReduction::MEAN">:$reduction);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = [{$cotangent `,` $logits `,` $targets `,` $logsumexp (`ignore_index` `=` $ignore_index^)?
                         (`label_smoothing` `=` $label_smoothing^)? (`reduction` `=` custom<Keyword>($reduction)^)? attr-dict `:` functional-type(operands, results)}];
  let hasVerifier = 1;
}
#endif
