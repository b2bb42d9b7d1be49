#ifndef POCKET_IR_ELEMENTWISEOPS
#define POCKET_IR_ELEMENTWISEOPS
include "Pocket/IR/PocketBase.td"

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

class Pocket_UnaryBase<string mnemonic, TypeConstraint type, string rule, dag attributes = (ins), string attributeFormat = "">
    : Pocket_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType,
        DeclareOpInterfaceMethods<Pocket_DifferentiableOpInterface, ["buildVjp", "getBackwardReads", "passesGradient"]>]> {
  let arguments = !con((ins type:$input), attributes);
  let results = (outs type:$result);
  let assemblyFormat = "$input " # attributeFormat # " attr-dict `:` type($input)";
  let hasFolder = 1;
  defvar r = Pocket_Rule<rule>;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::buildVjp(::mlir::OpBuilder &builder, ::llvm::ArrayRef<::mlir::Value> cotangents,
        ::llvm::ArrayRef<bool> needed, ::llvm::SmallVectorImpl<::mlir::Value> &gradients) {
      [[maybe_unused]] ::pocket::Expr g(builder, getLoc(), cotangents[0]), x(builder, getLoc(), getInput()),
          y(builder, getLoc(), getResult());
      gradients.push_back(needed[0] ? (}] # r.expression # [{).value() : ::mlir::Value());
      return ::mlir::success();
    }
    void $cppClass::getBackwardReads(::llvm::ArrayRef<bool> needed, ::llvm::SmallVectorImpl<::mlir::Value> &values) {
      if (!needed[0])
        return;
      }] # !if(r.readsX, "values.push_back(getInput());", "")
         # !if(r.readsY, "values.push_back(getResult());", "") # [{
    }
    bool $cppClass::passesGradient() { return }] # !if(r.passes, "true", "false") # [{; }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::pocket::foldUnary(getOperation(), adaptor.getInput());
    }
  }];
}
class Pocket_FloatUnaryOp<string mnemonic, string text, string rule, dag attributes = (ins), string attributeFormat = "">
    : Pocket_UnaryBase<mnemonic, Pocket_FloatTensor, rule, attributes, attributeFormat> {
  let summary = "elementwise " # text;
}
class Pocket_NumberUnaryOp<string mnemonic, string text, string rule>
    : Pocket_UnaryBase<mnemonic, Pocket_NumberTensor, rule> {
  let summary = "elementwise " # text;
}

//                                       name           y =                          dL/dx, from g = dL/dy
def Pocket_NegOp        : Pocket_NumberUnaryOp<"neg",        "-x",                         "-$g">;
def Pocket_AbsOp        : Pocket_NumberUnaryOp<"abs",        "|x|",                        "$g * sign($x)">;
def Pocket_SignOp       : Pocket_NumberUnaryOp<"sign",       "-1, 0 or 1; NaN stays NaN (PyTorch: 0)", "none">;
def Pocket_ExpOp        : Pocket_FloatUnaryOp<"exp",         "e^x",                        "$g * $y">;
def Pocket_Expm1Op      : Pocket_FloatUnaryOp<"expm1",       "e^x - 1, exact near 0",      "$g * ($y + 1.0)">;
def Pocket_LogOp        : Pocket_FloatUnaryOp<"log",         "ln x",                       "$g / $x">;
def Pocket_Log1pOp      : Pocket_FloatUnaryOp<"log1p",       "ln (1 + x), exact near 0",   "$g / ($x + 1.0)">;
def Pocket_SqrtOp       : Pocket_FloatUnaryOp<"sqrt",        "square root",                "$g / (2.0 * $y)">;
def Pocket_RsqrtOp      : Pocket_FloatUnaryOp<"rsqrt",       "1 / square root",            "-0.5 * $g * ($y * $y * $y)">;
def Pocket_ReciprocalOp : Pocket_FloatUnaryOp<"reciprocal",  "1 / x",                      "-$g * ($y * $y)">;
def Pocket_TanhOp       : Pocket_FloatUnaryOp<"tanh",        "hyperbolic tangent",         "$g * (1.0 - $y * $y)">;
def Pocket_SigmoidOp    : Pocket_FloatUnaryOp<"sigmoid",     "1 / (1 + e^-x)",             "$g * ($y * (1.0 - $y))">;
def Pocket_ErfOp        : Pocket_FloatUnaryOp<"erf",         "error function",             "$g * (1.1283791670955126 * exp(-($x * $x)))">;
def Pocket_SinOp        : Pocket_FloatUnaryOp<"sin",         "sine",                       "$g * cos($x)">;
def Pocket_CosOp        : Pocket_FloatUnaryOp<"cos",         "cosine",                     "-($g * sin($x))">;
def Pocket_FloorOp      : Pocket_FloatUnaryOp<"floor",       "largest integer not above x", "none">;
def Pocket_CeilOp       : Pocket_FloatUnaryOp<"ceil",        "smallest integer not below x", "none">;
def Pocket_RoundOp      : Pocket_FloatUnaryOp<"round",       "nearest integer, ties to even", "none">;
def Pocket_StopGradientOp : Pocket_FloatUnaryOp<"stop_gradient", "x, as a constant to the backward pass", "none">;

// The ReLU family. At the kinks the gradients are PyTorch's.
def Pocket_ReluOp       : Pocket_FloatUnaryOp<"relu",        "max(x, 0)",                  "select(le($y, 0.0), 0.0, $g)">;
def Pocket_LeakyReluOp  : Pocket_FloatUnaryOp<"leaky_relu",  "x above 0, slope x below",
    "select(gt($x, 0.0), $g, $g * num(getSlope()))",
    (ins F64Attr:$slope), "`slope` `=` $slope">;
def Pocket_EluOp        : Pocket_FloatUnaryOp<"elu",         "x above 0, alpha (e^x - 1) below",
    "select(le($x, 0.0), $g * (num(getAlpha()) * exp($x)), $g)",
    (ins F64Attr:$alpha), "`alpha` `=` $alpha">;
def Pocket_HardtanhOp   : Pocket_FloatUnaryOp<"hardtanh",    "x held in [min, max]; no gradient at the bounds (ReLU6 is 0 to 6)",
    "select(logicalOr(le($y, num(getMin())), ge($y, num(getMax()))), 0.0, $g)",
    (ins F64Attr:$min, F64Attr:$max), "`min` `=` $min `max` `=` $max"> { let hasVerifier = 1; }
def Pocket_ClampOp      : Pocket_FloatUnaryOp<"clamp",       "x held in [min, max]; the gradient passes at the bounds",
    "select(logicalAnd(ge($x, num(getMin())), le($x, num(getMax()))), $g, 0.0)",
    (ins F64Attr:$min, F64Attr:$max), "`min` `=` $min `max` `=` $max">;
def Pocket_HardsigmoidOp : Pocket_FloatUnaryOp<"hardsigmoid", "min(max(x + 3, 0), 6) / 6",
    "select(logicalAnd(gt($x, -3.0), lt($x, 3.0)), $g * (1.0 / 6.0), 0.0)">;
def Pocket_HardswishOp  : Pocket_FloatUnaryOp<"hardswish",   "x hardsigmoid(x)",
    "select(le($x, -3.0), 0.0, select(lt($x, 3.0), $g * ($x * (1.0 / 3.0) + 0.5), $g))">;
def Pocket_SiluOp       : Pocket_FloatUnaryOp<"silu",        "x sigmoid(x)",
    "siluGradient($g, $x)">;
def Pocket_GeluOp       : Pocket_FloatUnaryOp<"gelu",        "x Phi(x), by erf or by tanh",
    "geluGradient($g, $x, getApproximate())",
    (ins DefaultValuedAttr<Pocket_GeluAttr, "::pocket::GeluApproximation::NONE">:$approximate),
    "(`approximate` `=` custom<Keyword>($approximate)^)?">;
def Pocket_SoftplusOp   : Pocket_FloatUnaryOp<"softplus",    "ln(1 + e^(beta x)) / beta; x where beta x exceeds the threshold",
    "select(gt($x * num(getBeta()), num(getThreshold())), $g, $g * sigmoid($x * num(getBeta())))",
    (ins DefaultValuedAttr<F64Attr, "1.0">:$beta, DefaultValuedAttr<F64Attr, "20.0">:$threshold),
    "(`beta` `=` $beta^)? (`threshold` `=` $threshold^)?"> { let hasVerifier = 1; }

def Pocket_LogicalNotOp : Pocket_Op<"logical_not", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "true where the input is false";
  let arguments = (ins Pocket_BoolTensor:$input);
  let results = (outs Pocket_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasFolder = 1;
}

def Pocket_ConvertOp : Pocket_Op<"convert", [Pure, Elementwise, SameOperandsAndResultShape, Pocket_Differentiable]> {
  let summary = "Convert the element type";
  let description = [{
    Floating point to integer rounds towards zero; to `i1`, everything but zero
    is true. The gradient of a conversion between floating-point types converts
    back; there is none through integers.
  }];
  let arguments = (ins Pocket_Tensor:$input);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Two and three operands, with broadcasting
//===----------------------------------------------------------------------===//

class Pocket_BinaryBase<string mnemonic, TypeConstraint type, list<Trait> traits>
    : Pocket_InferredOp<mnemonic, traits> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}
class Pocket_BinaryOp<string mnemonic, string text, TypeConstraint type, string lhsRule, string rhsRule, list<Trait> traits = []>
    : Pocket_BinaryBase<mnemonic, type, !listconcat([Pocket_Differentiable], traits)> {
  let summary = "elementwise " # text;
  let description = [{
    Operands of one element type are broadcast against each other as in numpy:
    shapes are aligned at the right, a dimension of size 1 is repeated.
  }];
  defvar l = Pocket_Rule<lhsRule>;
  defvar r = Pocket_Rule<rhsRule>;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::buildVjp(::mlir::OpBuilder &builder, ::llvm::ArrayRef<::mlir::Value> cotangents,
        ::llvm::ArrayRef<bool> needed, ::llvm::SmallVectorImpl<::mlir::Value> &gradients) {
      [[maybe_unused]] ::pocket::Expr g(builder, getLoc(), cotangents[0]), a(builder, getLoc(), getLhs()),
          b(builder, getLoc(), getRhs()), y(builder, getLoc(), getResult());
      gradients.push_back(needed[0] ? sumToShape((}] # l.expression # [{), getLhs().getType()) : ::mlir::Value());
      gradients.push_back(needed[1] ? sumToShape((}] # r.expression # [{), getRhs().getType()) : ::mlir::Value());
      return ::mlir::success();
    }
    void $cppClass::getBackwardReads(::llvm::ArrayRef<bool> needed, ::llvm::SmallVectorImpl<::mlir::Value> &values) {
      if ((needed[0] && }] # !if(l.readsA, "true", "false") # [{) || (needed[1] && }] # !if(r.readsA, "true", "false") # [{))
        values.push_back(getLhs());
      if ((needed[0] && }] # !if(l.readsB, "true", "false") # [{) || (needed[1] && }] # !if(r.readsB, "true", "false") # [{))
        values.push_back(getRhs());
      if ((needed[0] && }] # !if(l.readsY, "true", "false") # [{) || (needed[1] && }] # !if(r.readsY, "true", "false") # [{))
        values.push_back(getResult());
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::pocket::inferBroadcast(location, {adaptor.getLhs(), adaptor.getRhs()}, {}, types);
    }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::pocket::foldBinary(getOperation(), adaptor.getLhs(), adaptor.getRhs());
    }
  }];
}

//                                name       y =                type                  dL/da             dL/db
def Pocket_AddOp : Pocket_BinaryOp<"add",    "a + b",           Pocket_NumberTensor,  "$g",             "$g", [Commutative]>;
def Pocket_SubOp : Pocket_BinaryOp<"sub",    "a - b",           Pocket_NumberTensor,  "$g",             "-$g">;
def Pocket_MulOp : Pocket_BinaryOp<"mul",    "a b",             Pocket_NumberTensor,  "$g * $b",        "$g * $a", [Commutative]>;
def Pocket_DivOp : Pocket_BinaryOp<"div",    "a / b; integers round towards zero", Pocket_NumberTensor, "$g / $b", "-($g * ($y / $b))">;
def Pocket_PowOp : Pocket_BinaryOp<"pow",    "a^b",             Pocket_FloatTensor,
    "powGradientBase($g, $a, $b)", "powGradientExponent($g, $a, $b, $y)">;
def Pocket_MaximumOp : Pocket_BinaryOp<"maximum", "the larger of a and b; NaN if either is", Pocket_NumberTensor,
    "select(gt($a, $b), $g, select(eq($a, $b), 0.5 * $g, 0.0))", "select(lt($a, $b), $g, select(eq($a, $b), 0.5 * $g, 0.0))", [Commutative]>;
def Pocket_MinimumOp : Pocket_BinaryOp<"minimum", "the smaller of a and b; NaN if either is", Pocket_NumberTensor,
    "select(lt($a, $b), $g, select(eq($a, $b), 0.5 * $g, 0.0))", "select(gt($a, $b), $g, select(eq($a, $b), 0.5 * $g, 0.0))", [Commutative]>;

class Pocket_BitwiseOp<string mnemonic, string text> : Pocket_BinaryBase<mnemonic, Pocket_BitTensor, [Commutative]> {
  let summary = "elementwise " # text;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::pocket::inferBroadcast(location, {adaptor.getLhs(), adaptor.getRhs()}, {}, types);
    }
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return ::pocket::foldBinary(getOperation(), adaptor.getLhs(), adaptor.getRhs());
    }
  }];
}
def Pocket_AndOp : Pocket_BitwiseOp<"and", "bitwise and">;
def Pocket_OrOp : Pocket_BitwiseOp<"or", "bitwise or">;
def Pocket_XorOp : Pocket_BitwiseOp<"xor", "bitwise exclusive or">;

def Pocket_CompareOp : Pocket_InferredOp<"compare"> {
  let summary = "Compare two tensors, with broadcasting";
  let description = [{
    Floating-point comparisons are ordered (false where either is NaN) but for
    `ne`, which is true there, as in PyTorch. Integers are signed.
  }];
  let arguments = (ins Pocket_PredicateAttr:$predicate, Pocket_Tensor:$lhs, Pocket_Tensor:$rhs);
  let results = (outs Pocket_BoolTensor:$result);
  let assemblyFormat = "custom<Keyword>($predicate) $lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Pocket_SelectOp : Pocket_InferredOp<"select", [Pocket_Differentiable]> {
  let summary = "Take the second operand where the first is true, else the third, with broadcasting";
  let arguments = (ins Pocket_BoolTensor:$condition, Pocket_Tensor:$on_true, Pocket_Tensor:$on_false);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}
#endif
