#include "Pocket/IR/Pocket.h"
#include "Pocket/IR/Shapes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Layout/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_CONVERTLAYOUT
#include "passes/Layout/Passes.h.inc"

namespace {

using Permutation = SmallVector<int64_t>;
const int64_t toNhwc[] = {0, 2, 3, 1}, toNchw[] = {0, 3, 1, 2}, toHwio[] = {2, 3, 1, 0}, toOihw[] = {3, 2, 0, 1};

Value transposed(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> permutation) {
  return TransposeOp::create(b, loc, value, permutation).getResult();
}

//===----------------------------------------------------------------------===//
// Spatial ops become channels-last between transposes
//===----------------------------------------------------------------------===//

/// Rewrites `op`: rank-4 images go in and come out transposed, filters too.
void toChannelsLast(OpBuilder &b, Operation *op) {
  b.setInsertionPoint(op);
  bool filterResult = isa<Conv2dWeightGradOp>(op);
  bool hasFilter = isa<Conv2dOp, Conv2dInputGradOp>(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    bool image = cast<RankedTensorType>(value.getType()).getRank() == 4;
    bool filter = hasFilter && operand.getOperandNumber() == 1;
    operands.push_back(image ? transposed(b, op->getLoc(), value, filter ? toHwio : toNhwc) : value);
  }
  ArrayRef<int64_t> to = filterResult ? ArrayRef<int64_t>(toHwio) : ArrayRef<int64_t>(toNhwc);
  SmallVector<Type> types;
  for (Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    types.push_back(tensor.clone(applyPermutation(tensor.getShape(), to)));
  }
  OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
  Operation *converted = b.create(state);
  converted->setAttr("layout", LayoutAttr::get(b.getContext(), Layout::NHWC));
  for (auto [old, result] : llvm::zip_equal(op->getResults(), converted->getResults()))
    if (!old.use_empty())
      old.replaceAllUsesWith(transposed(b, op->getLoc(), result, filterResult ? toOihw : toNchw));
  op->erase();
}

//===----------------------------------------------------------------------===//
// Transposes move down
//===----------------------------------------------------------------------===//

/// The transpose of an image to channels-first that defines `value`, or null.
TransposeOp imageTranspose(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  return transpose && transpose.getPermutation() == ArrayRef<int64_t>(toNchw) ? transpose : TransposeOp();
}

bool isElementwise(Operation *op) {
  return isa<PocketDialect>(op->getDialect()) && op->getNumResults() == 1 &&
         (op->hasTrait<OpTrait::Elementwise>() || isa<AddOp, SubOp, MulOp, DivOp, PowOp, MaximumOp, MinimumOp, AndOp,
                                                      OrOp, XorOp, CompareOp, SelectOp>(op));
}

/// `value` as it is when the result's dimensions are channels-last.
Value channelsLast(OpBuilder &b, Location loc, Value value) {
  if (auto transpose = imageTranspose(value))
    return transpose.getInput();
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getNumElements() == 1 && type.getRank() < 4)
    return value;
  if (type.getRank() < 4) {
    SmallVector<int64_t> shape(4 - type.getRank(), 1);
    llvm::append_range(shape, type.getShape());
    value = ReshapeOp::create(b, loc, type.clone(shape), value);
  }
  return transposed(b, loc, value, toNhwc);
}

Operation *clone(RewriterBase &b, Operation *op, ValueRange operands, TypeRange types) {
  OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
  return b.create(state);
}

RankedTensorType channelsLast(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(applyPermutation(tensor.getShape(), toNhwc));
}

struct PushThroughElementwise : RewritePattern {
  PushThroughElementwise(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->getDialect() || !isElementwise(op))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    // Not worth it where nothing cancels: some operand of the result's size
    // must come out of a transpose.
    bool any = llvm::any_of(op->getOperands(), [&](Value v) {
      return imageTranspose(v) && cast<RankedTensorType>(v.getType()).getShape() == type.getShape();
    });
    if (type.getRank() != 4 || !any)
      return failure();
    SmallVector<Value> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value v) { return channelsLast(rewriter, op->getLoc(), v); });
    Operation *moved = clone(rewriter, op, operands, channelsLast(type));
    rewriter.replaceOp(op, transposed(rewriter, op->getLoc(), moved->getResult(0), toNchw));
    return success();
  }
};

/// Ops along dimensions: those are renamed.
struct PushThroughDims : RewritePattern {
  PushThroughDims(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  static int64_t renamed(int64_t dim) { return toNchw[dim]; }

  static Attribute permuted(Builder &b, Attribute attr) {
    return b.getDenseI64ArrayAttr(applyPermutation(cast<DenseI64ArrayAttr>(attr).asArrayRef(), toNhwc));
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumOperands() == 0 || !imageTranspose(op->getOperand(0)))
      return failure();
    auto setDim = [&](StringRef name, NamedAttrList &attrs) {
      attrs.set(name, rewriter.getI64IntegerAttr(renamed(cast<IntegerAttr>(attrs.get(name)).getInt())));
    };
    NamedAttrList attrs(op->getAttrs());
    if (isa<BatchNormInferenceOp, BatchNormTrainingOp, BatchNormReduceGradOp>(op)) {
      int64_t dim = 1;
      if (auto attr = op->getAttrOfType<IntegerAttr>("channel_dim"))
        dim = attr.getInt();
      attrs.set("channel_dim", rewriter.getI64IntegerAttr(renamed(dim)));
    } else if (isa<SoftmaxOp, LogSoftmaxOp>(op)) {
      setDim("dim", attrs);
    } else if (isa<ConcatOp>(op)) {
      setDim("dim", attrs);
    } else if (isa<SliceOp>(op)) {
      for (StringRef name : {"offsets", "sizes", "strides"})
        attrs.set(name, permuted(rewriter, attrs.get(name)));
    } else if (isa<PadOp>(op)) {
      for (StringRef name : {"low", "high"})
        attrs.set(name, permuted(rewriter, attrs.get(name)));
    } else if (isa<ReverseOp>(op)) {
      auto dims = cast<DenseI64ArrayAttr>(attrs.get("dims")).asArrayRef();
      attrs.set("dims", rewriter.getDenseI64ArrayAttr(llvm::map_to_vector(dims, renamed)));
    } else if (isa<SumOp, MeanOp, ReduceMaxOp, ReduceMinOp>(op)) {
      return pushThroughReduction(op, attrs, rewriter);
    } else {
      return failure();
    }

    SmallVector<Value> operands;
    for (Value v : op->getOperands())
      operands.push_back(cast<RankedTensorType>(v.getType()).getRank() == 4 ? channelsLast(rewriter, op->getLoc(), v) : v);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(cast<RankedTensorType>(type).getRank() == 4 ? Type(channelsLast(type)) : type);
    OperationState state(op->getLoc(), op->getName(), operands, types, attrs);
    Operation *moved = rewriter.create(state);
    SmallVector<Value> results(moved->getResults());
    for (Value &result : results)
      if (cast<RankedTensorType>(result.getType()).getRank() == 4)
        result = transposed(rewriter, op->getLoc(), result, toNchw);
    rewriter.replaceOp(op, results);
    return success();
  }

  static LogicalResult pushThroughReduction(Operation *op, NamedAttrList attrs, PatternRewriter &rewriter) {
    Value source = imageTranspose(op->getOperand(0)).getInput();
    auto dims = cast<DenseI64ArrayAttr>(attrs.get("dims")).asArrayRef();
    SmallVector<int64_t> moved = llvm::map_to_vector(dims, renamed);
    attrs.set("dims", rewriter.getDenseI64ArrayAttr(moved));
    auto from = cast<RankedTensorType>(source.getType());
    bool keepdims = attrs.get("keepdims") != nullptr;
    // The result's dimensions, by their number in the channels-first input.
    SmallVector<int64_t> shape, remaining;
    for (int64_t i = 0; i < 4; ++i) {
      bool reduced = llvm::is_contained(moved, i);
      if (reduced && !keepdims)
        continue;
      shape.push_back(reduced ? 1 : from.getDimSize(i));
      remaining.push_back(toNhwc[i]);
    }
    OperationState state(op->getLoc(), op->getName(), ValueRange(source), TypeRange(from.clone(shape)), attrs);
    Value result = rewriter.create(state)->getResult(0);
    // Back to the channels-first order.
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, remaining.size()));
    llvm::sort(order, [&](int64_t a, int64_t b) { return remaining[a] < remaining[b]; });
    if (!isIdentityPermutation(order))
      result = transposed(rewriter, op->getLoc(), result, order);
    rewriter.replaceOp(op, result);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Parameters are stored as they are read
//===----------------------------------------------------------------------===//

/// What an argument is, for finding it in the other functions.
Attribute identity(func::FuncOp function, unsigned argument) {
  if (auto param = function.getArgAttr(argument, names::param))
    return function.getArgAttr(argument, names::state) ? Attribute() : param;
  return function.getArgAttr(argument, names::buffer);
}

struct ConvertLayout : impl::ConvertLayoutBase<ConvertLayout> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> spatialOps;
    module.walk([&](Operation *op) {
      if (isa<Conv2dOp, Conv2dInputGradOp, Conv2dWeightGradOp, MaxPool2dOp, MaxPool2dGradOp, AvgPool2dOp,
              AvgPool2dGradOp>(op))
        if (auto layout = op->getAttrOfType<LayoutAttr>("layout"); !layout || layout.getValue() == Layout::NCHW)
          spatialOps.push_back(op);
    });
    OpBuilder builder(&getContext());
    for (Operation *op : spatialOps)
      toChannelsLast(builder, op);
    opsConverted += spatialOps.size();
    if (spatialOps.empty())
      return;

    RewritePatternSet patterns(&getContext());
    patterns.add<PushThroughElementwise, PushThroughDims>(&getContext());
    for (RegisteredOperationName op : getContext().getRegisteredOperations())
      if (isa<PocketDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(module, std::move(patterns))))
      return signalPassFailure();

    storeAsRead(module);
  }

  void storeAsRead(ModuleOp module) {
    // The order each parameter is read in, if a filter's and nowhere else another.
    llvm::SetVector<Attribute> filters;
    auto isFilterRead = [](Operation *user) {
      auto transpose = dyn_cast<TransposeOp>(user);
      return transpose && transpose.getPermutation() == ArrayRef<int64_t>(toHwio);
    };
    module.walk([&](func::FuncOp function) {
      if (function.isExternal())
        return;
      for (BlockArgument argument : function.getArguments())
        if (Attribute id = identity(function, argument.getArgNumber()))
          if (llvm::any_of(argument.getUsers(), isFilterRead) &&
              !function.getArgAttr(argument.getArgNumber(), names::layout))
            filters.insert(id);
    });
    // What a function overwrites keeps its order: the new value has it too.
    module.walk([&](func::FuncOp function) {
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        for (StringRef name : {names::param, names::buffer})
          if (Attribute id = function.getResultAttr(i, name))
            filters.remove(id);
    });
    module.walk([&](func::FuncOp function) {
      if (function.isExternal())
        return;
      bool changed = false;
      OpBuilder b(&getContext());
      for (BlockArgument argument : function.getArguments()) {
        Attribute id = identity(function, argument.getArgNumber());
        if (!id || !filters.contains(id))
          continue;
        auto type = cast<RankedTensorType>(argument.getType());
        argument.setType(type.clone(applyPermutation(type.getShape(), toHwio)));
        function.setArgAttr(argument.getArgNumber(), names::layout, b.getDenseI64ArrayAttr(toHwio));
        if (auto channels = function.getArgAttrOfType<ChannelsAttr>(argument.getArgNumber(), names::needsGrad)) {
          int64_t dim = llvm::find(toHwio, channels.getDim()) - std::begin(toHwio);
          function.setArgAttr(argument.getArgNumber(), names::needsGrad, channels.along(dim));
        }
        changed = true;
        Value original;
        for (OpOperand &use : llvm::make_early_inc_range(argument.getUses())) {
          Operation *user = use.getOwner();
          if (isFilterRead(user)) {
            user->getResult(0).replaceAllUsesWith(argument);
            user->erase();
            continue;
          }
          if (original && use.get() == original)
            continue;
          if (!original) {
            b.setInsertionPointToStart(&function.getBody().front());
            original = transposed(b, argument.getLoc(), argument, toOihw);
            if (user == original.getDefiningOp())
              continue;
          }
          if (user != original.getDefiningOp())
            use.set(original);
        }
      }
      if (changed)
        function.setType(FunctionType::get(&getContext(), function.getBody().front().getArgumentTypes(),
                                           function.getResultTypes()));
    });
    parametersStored += filters.size();
  }
};

} // namespace
} // namespace pocket
