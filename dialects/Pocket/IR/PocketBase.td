#ifndef POCKET_IR_POCKETBASE
#define POCKET_IR_POCKETBASE
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Pocket/Interfaces/DifferentiableOpInterface.td"
include "Pocket/Interfaces/UpdateOpInterface.td"

def Pocket_Dialect : Dialect {
  let name = "pocket";
  let cppNamespace = "::pocket";
  let summary = "Training programs for small devices";
  let description = [{
    Whole neural-network operations on static tensors, their gradients, and the
    updates that overwrite parameters in place.

    A program is a function whose arguments say what they are:

    | attribute of an argument | meaning |
    |---|---|
    | `pocket.param = "fc.weight"` | a parameter, under its PyTorch name |
    | `pocket.needs_grad = true`, `false`, a ratio or `#pocket.channels<...>` | what of the parameter is trained |
    | `pocket.buffer = "bn.running_mean"` | a buffer |
    | `pocket.state = "momentum_buffer"` (with `pocket.param`) | optimizer state |
    | `pocket.role = "input"`, `"target"`, `"learning_rate"` | what comes from outside |
    | `pocket.layout = array<i64: 2, 3, 1, 0>` | storage dimension `i` holds PyTorch's dimension `layout[i]` |

    A result with `pocket.role` is a `"loss"`, an `"output"` or a `"gradient"`;
    a result that carries an argument's identity (`pocket.param`,
    `pocket.buffer`, `pocket.state`) is that argument's new value.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A static shape whose size can be computed with: what exceeds 2^40 elements
/// is a mistake, and sums and products of such sizes do not overflow.
def Pocket_IsAddressable : CPred<"::pocket::isAddressable(::llvm::cast<::mlir::ShapedType>($_self).getShape())">;
class Pocket_TensorOf<list<Type> elements, string text>
    : ConfinedType<RankedTensorOf<elements, [HasStaticShapePred, Pocket_IsAddressable]>, [],
                   "a tensor of " # text # " with a static shape of up to 2^40 elements">;

def Pocket_Float : AnyTypeOf<[F16, BF16, F32, F64]>;
def Pocket_Int : AnyTypeOf<[I8, I32, I64]>;
def Pocket_Element : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I32, I64]>;
def Pocket_Tensor : Pocket_TensorOf<[Pocket_Element], "f16, bf16, f32, f64, i1, i8, i32 or i64">;
def Pocket_FloatTensor : Pocket_TensorOf<[Pocket_Float], "f16, bf16, f32 or f64">;
def Pocket_NumberTensor : Pocket_TensorOf<[Pocket_Float, Pocket_Int], "f16, bf16, f32, f64, i8, i32 or i64">;
def Pocket_IntTensor : Pocket_TensorOf<[Pocket_Int], "i8, i32 or i64">;
def Pocket_BitTensor : Pocket_TensorOf<[I1, Pocket_Int], "i1, i8, i32 or i64">;
def Pocket_BoolTensor : Pocket_TensorOf<[I1], "i1">;
def Pocket_MaskTensor : Pocket_TensorOf<[Pocket_Float, I1], "f16, bf16, f32, f64 or i1">;
def Pocket_IndexTensor : Pocket_TensorOf<[I64], "i64">;
def Pocket_ByteTensor : Pocket_TensorOf<[I8], "i8">;
def Pocket_TapTensor : Pocket_TensorOf<[I8, I32], "i8 or i32">;
def Pocket_Scalar : ConfinedType<0DTensorOf<[Pocket_Float]>, [], "a tensor of f16, bf16, f32 or f64 of rank 0">;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// A signed number. (Upstream's I64Attr reads as uint64_t.)
def Pocket_I64Attr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signless integer attribute">;

/// Ops print these by `custom<Keyword>`: `layout = nhwc`.
class Pocket_Enum<string name, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::pocket";
}
class Pocket_EnumAttr<EnumAttrInfo info, string name> : EnumAttr<Pocket_Dialect, info, name>;

def Pocket_LayoutEnum : Pocket_Enum<"Layout", "where the channels are", [
  I32EnumAttrCase<"NCHW", 0, "nchw">, I32EnumAttrCase<"NHWC", 1, "nhwc">]>;
def Pocket_LayoutAttr : Pocket_EnumAttr<Pocket_LayoutEnum, "layout">;
def Pocket_PredicateEnum : Pocket_Enum<"Predicate", "a comparison", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
  I32EnumAttrCase<"LE", 3, "le">, I32EnumAttrCase<"GT", 4, "gt">, I32EnumAttrCase<"GE", 5, "ge">]>;
def Pocket_PredicateAttr : Pocket_EnumAttr<Pocket_PredicateEnum, "predicate">;
def Pocket_GeluEnum : Pocket_Enum<"GeluApproximation", "a form of GELU", [
  I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"TANH", 1, "tanh">]>;
def Pocket_GeluAttr : Pocket_EnumAttr<Pocket_GeluEnum, "gelu">;
def Pocket_ReductionEnum : Pocket_Enum<"LossReduction", "how per-sample losses are joined", [
  I32EnumAttrCase<"MEAN", 0, "mean">, I32EnumAttrCase<"SUM", 1, "sum">, I32EnumAttrCase<"NONE", 2, "none">]>;
def Pocket_ReductionAttr : Pocket_EnumAttr<Pocket_ReductionEnum, "reduction">;

def Pocket_ChannelsAttr : AttrDef<Pocket_Dialect, "Channels"> {
  let mnemonic = "channels";
  let summary = "ranges of channels along one dimension";
  let description = [{
    Half-open ranges along dimension `dim`, sorted and disjoint:
    `#pocket.channels<dim = 0, [0 to 10], [12 to 16]>`. As the value of
    `pocket.needs_grad` it says which slice of a parameter is trained.
  }];
  let parameters = (ins "int64_t":$dim, ArrayRefParameter<"int64_t">:$begins, ArrayRefParameter<"int64_t">:$ends);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// How many channels these are.
    int64_t count() const;
    /// Each of them, in order.
    ::llvm::SmallVector<int64_t> indices() const;
    /// The type of these channels of a tensor; reports channels that it does not have.
    ::mlir::FailureOr<::mlir::RankedTensorType>
    sliceOf(::mlir::RankedTensorType type, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
    /// The same channels along another dimension.
    ChannelsAttr along(int64_t dim) const;
  }];
}

def Pocket_TilesAttr : AttrDef<Pocket_Dialect, "Tiles"> {
  let mnemonic = "tiles";
  let summary = "tile sizes for one linalg op, independent of the code generator";
  let description = [{
    One entry per loop: `distribution` splits the work between threads,
    `vector` is the register tile of the parallel loops and `reduction` the tile
    of the reduction loops (0: not tiled). `pipeline` names the code
    generator's strategy.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$distribution, ArrayRefParameter<"int64_t">:$vector,
                        ArrayRefParameter<"int64_t">:$reduction, StringRefParameter<>:$pipeline);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

def Pocket_DefaultAttributes : NativeOpTrait<"DefaultAttributes"> { let cppNamespace = "::pocket"; }

class Pocket_Op<string mnemonic, list<Trait> traits = []>
    : Op<Pocket_Dialect, mnemonic, !listconcat([Pocket_DefaultAttributes], traits)>;

/// Upstream's InferTypeOpAdaptor, but safe to call for what was not verified (Inference.h).
def Pocket_InferTypes : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NativeOpTrait<"InferTypeOpAdaptor", [], [{
    static ::llvm::LogicalResult inferReturnTypes(::mlir::MLIRContext *context,
        ::std::optional<::mlir::Location> location, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types);
  }], [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
        ::std::optional<::mlir::Location> location, ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::pocket::inferReturnTypes<$cppClass>(context, location, operands, attributes, properties, regions, types);
    }
  }]>]>;

/// An op without side effects whose result types follow from its operands.
class Pocket_InferredOp<string mnemonic, list<Trait> traits = []>
    : Pocket_Op<mnemonic, !listconcat([Pure, Pocket_InferTypes], traits)>;

/// An op that builds its gradient in C++ (Gradients/).
def Pocket_Differentiable
    : DeclareOpInterfaceMethods<Pocket_DifferentiableOpInterface, ["buildVjp", "getBackwardReads"]>;

/// Declares how a derivative rule becomes the interface's two methods. In a
/// rule `$g` is the cotangent, `$x` (`$a`, `$b`, `$c`) the operands and `$y` the
/// result; arithmetic is on `Expr` (Gradients/Expr.h). "none" is no gradient.
class Pocket_Rule<string text> {
  string expression = !if(!eq(text, "none"), "::pocket::Expr()",
      !subst("$g", "g", !subst("$x", "x", !subst("$a", "a", !subst("$b", "b", !subst("$c", "c", !subst("$y", "y", text)))))));
  bit passes = !ne(text, "none");
  bit readsX = !ge(!find(text, "$x"), 0);
  bit readsA = !ge(!find(text, "$a"), 0);
  bit readsB = !ge(!find(text, "$b"), 0);
  bit readsC = !ge(!find(text, "$c"), 0);
  bit readsY = !ge(!find(text, "$y"), 0);
}
#endif
