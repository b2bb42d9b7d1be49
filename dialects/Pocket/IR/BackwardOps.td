#ifndef POCKET_IR_BACKWARDOPS
#define POCKET_IR_BACKWARDOPS
include "Pocket/IR/PocketBase.td"

//===----------------------------------------------------------------------===//
// Where the backward pass begins, and what it keeps of the forward pass
//===----------------------------------------------------------------------===//

def Pocket_GradientSeedOp : Pocket_Op<"gradient_seed", [Pure]> {
  let summary = "The gradient of the loss for itself: 1";
  let description = [{
    What depends on it is the backward pass. It stays an op of its own until
    `pocket-decompose`, so that the passes in between can tell.
  }];
  let results = (outs Pocket_Scalar:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Pocket_SaveOp : Pocket_Op<"save", [Pure, SameOperandsAndResultType]> {
  let summary = "A value of the forward pass that is kept, as it is here, for the backward pass";
  let description = [{
    The value itself. Code generators compute short expressions anew where they
    are read, and would keep what those were made from, which may be larger; a
    saved value is computed before, and stored.
  }];
  let arguments = (ins Pocket_Tensor:$input);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasFolder = 1;
}

def Pocket_PackBitsOp : Pocket_InferredOp<"pack_bits"> {
  let summary = "Booleans, eight to a byte";
  let description = [{
    Dimension `dim` of size D shrinks to B = ceil(D / 8): bit `k` of byte `j` is
    element `k B + j` along it, and zero where there is none. Neighbours in memory
    stay neighbours.

    ```mlir
    %b = pocket.pack_bits %x dim = 1 : (tensor<3x10x5xi1>) -> tensor<3x2x5xi8>
    ```
  }];
  let arguments = (ins Pocket_BoolTensor:$input, Pocket_I64Attr:$dim);
  let results = (outs Pocket_ByteTensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
}

def Pocket_UnpackBitsOp : Pocket_Op<"unpack_bits", [Pure]> {
  let summary = "The booleans that pack_bits packed along a dimension";
  let arguments = (ins Pocket_ByteTensor:$input, Pocket_I64Attr:$dim);
  let results = (outs Pocket_BoolTensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// A part of the channels
//===----------------------------------------------------------------------===//

def Pocket_TakeChannelsOp : Pocket_InferredOp<"take_channels"> {
  let summary = "Some channels of a tensor, in their order";
  let description = [{
    ```mlir
    %s = pocket.take_channels %x <dim = 1, [0 to 4], [6 to 8]> : (tensor<2x8xf32>) -> tensor<2x6xf32>
    ```
  }];
  let arguments = (ins Pocket_Tensor:$input, Pocket_ChannelsAttr:$channels);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input $channels attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}
#endif
