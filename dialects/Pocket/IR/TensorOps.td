#ifndef POCKET_IR_TENSOROPS
#define POCKET_IR_TENSOROPS
include "Pocket/IR/PocketBase.td"

//===----------------------------------------------------------------------===//
// Constants and reductions
//===----------------------------------------------------------------------===//

def Pocket_ConstantOp : Pocket_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A constant tensor";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

class Pocket_ReductionOp<string mnemonic, string text, TypeConstraint type>
    : Pocket_InferredOp<mnemonic, [Pocket_Differentiable]> {
  let summary = text;
  let arguments = (ins type:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keepdims);
  let results = (outs type:$result);
  let assemblyFormat = "$input `dims` `=` $dims (`keepdims` $keepdims^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
def Pocket_SumOp : Pocket_ReductionOp<"sum", "Sum over dimensions", Pocket_NumberTensor>;
def Pocket_MeanOp : Pocket_ReductionOp<"mean", "Mean over dimensions", Pocket_FloatTensor>;
def Pocket_ReduceMaxOp : Pocket_ReductionOp<"reduce_max", "Largest value over dimensions; equal ones share the gradient", Pocket_NumberTensor>;
def Pocket_ReduceMinOp : Pocket_ReductionOp<"reduce_min", "Smallest value over dimensions; equal ones share the gradient", Pocket_NumberTensor>;

def Pocket_ArgmaxOp : Pocket_InferredOp<"argmax"> {
  let summary = "Index of the largest value along a dimension, the first of equal ones";
  let arguments = (ins Pocket_NumberTensor:$input, Pocket_I64Attr:$dim, UnitAttr:$keepdims);
  let results = (outs Pocket_IndexTensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim (`keepdims` $keepdims^)? attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

def Pocket_ReshapeOp : Pocket_Op<"reshape", [Pure, Pocket_Differentiable]> {
  let summary = "The same elements in row-major order under another shape";
  let arguments = (ins Pocket_Tensor:$input);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Pocket_TransposeOp : Pocket_InferredOp<"transpose", [Pocket_Differentiable]> {
  let summary = "Permute dimensions: result dimension i is input dimension permutation[i]";
  let arguments = (ins Pocket_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input `permutation` `=` $permutation attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Pocket_BroadcastOp : Pocket_Op<"broadcast", [Pure, Pocket_Differentiable]> {
  let summary = "Repeat dimensions of size 1 (and missing leading ones) up to the result's shape";
  let arguments = (ins Pocket_Tensor:$input);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Pocket_SliceOp : Pocket_InferredOp<"slice", [Pocket_Differentiable]> {
  let summary = "A strided slice";
  let description = [{
    Result element `i` along a dimension is input element `offset + i * stride`;
    `sizes` is the result's shape.
  }];
  let arguments = (ins Pocket_Tensor:$input, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input `offsets` `=` $offsets `sizes` `=` $sizes `strides` `=` $strides attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Pocket_SliceGradOp : Pocket_Op<"slice_grad", [Pure, Pocket_Differentiable]> {
  let summary = "Zeros with the input written at a strided slice";
  let arguments = (ins Pocket_Tensor:$input, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$strides);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input `offsets` `=` $offsets `strides` `=` $strides attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Pocket_ConcatOp : Pocket_InferredOp<"concat", [Pocket_Differentiable]> {
  let summary = "Join tensors along a dimension";
  let arguments = (ins Variadic<Pocket_Tensor>:$inputs, Pocket_I64Attr:$dim);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$inputs `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Pocket_PadOp : Pocket_InferredOp<"pad", [Pocket_Differentiable]> {
  let summary = "Surround a tensor with a constant";
  let arguments = (ins Pocket_Tensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DefaultValuedAttr<F64Attr, "0.0">:$value);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input `low` `=` $low `high` `=` $high (`value` `=` $value^)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Pocket_ReverseOp : Pocket_Op<"reverse", [Pure, SameOperandsAndResultType, Pocket_Differentiable]> {
  let summary = "Reverse the order along dimensions";
  let arguments = (ins Pocket_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input `dims` `=` $dims attr-dict `:` type($input)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

def Pocket_EmbeddingOp : Pocket_InferredOp<"embedding", [Pocket_Differentiable]> {
  let summary = "Rows of a table: result[..., :] = weight[indices[...], :]";
  let description = [{
    `weight` is `[V, D]` (or has further trailing dimensions). The row
    `padding_idx`, if not negative, is read but gets no gradient.
    Indices must lie in `[0, V)`.
  }];
  let arguments = (ins Pocket_Tensor:$weight, Pocket_IntTensor:$indices, DefaultValuedAttr<Pocket_I64Attr, "-1">:$padding_idx);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$weight `,` $indices (`padding_idx` `=` $padding_idx^)? attr-dict `:` functional-type(operands, results)";
}

def Pocket_EmbeddingGradOp : Pocket_Op<"embedding_grad", [Pure]> {
  let summary = "Gradient of embedding for its table: rows of the cotangent summed by index";
  let arguments = (ins Pocket_FloatTensor:$cotangent, Pocket_IntTensor:$indices, DefaultValuedAttr<Pocket_I64Attr, "-1">:$padding_idx);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = "$cotangent `,` $indices (`padding_idx` `=` $padding_idx^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Pocket_GatherOp : Pocket_InferredOp<"gather", [Pocket_Differentiable]> {
  let summary = "Take elements along a dimension by an index for every result element (torch.gather)";
  let description = [{
    `result[i0, .., ik, ..] = input[i0, .., indices[i0, .., ik, ..], ..]` with the
    index at dimension `dim`. The result has the indices' shape, which does not
    exceed the input's in the other dimensions.
  }];
  let arguments = (ins Pocket_Tensor:$input, Pocket_IntTensor:$indices, Pocket_I64Attr:$dim);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input `,` $indices `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
}

def Pocket_GatherGradOp : Pocket_Op<"gather_grad", [Pure]> {
  let summary = "Gradient of gather for its input: the cotangent added up at the indices";
  let arguments = (ins Pocket_FloatTensor:$cotangent, Pocket_IntTensor:$indices, Pocket_I64Attr:$dim);
  let results = (outs Pocket_FloatTensor:$result);
  let assemblyFormat = "$cotangent `,` $indices `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
#endif
