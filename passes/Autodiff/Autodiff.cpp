// Reverse mode over one block: every op builds its own vector-Jacobian product.
#include "Pocket/IR/Pocket.h"
#include "passes/Autodiff/Forward.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_AUTODIFF
#include "passes/Autodiff/Passes.h.inc"

namespace {

/// The gradient of every value that has been reached so far.
class Cotangents {
public:
  explicit Cotangents(OpBuilder &builder) : builder(builder) {}

  Value lookup(Value value) const { return gradients.lookup(value); }
  void add(Value value, Value gradient, Location location) {
    Value &sum = gradients[value];
    sum = sum ? AddOp::create(builder, location, sum, gradient).getResult() : gradient;
  }

private:
  OpBuilder &builder;
  DenseMap<Value, Value> gradients;
};

struct Autodiff : impl::AutodiffBase<Autodiff> {
  using AutodiffBase::AutodiffBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (auto existing = module.lookupSymbol("train_step")) {
      existing->emitError() << "stands where @forward's training step would; remove it or rename it";
      return signalPassFailure();
    }
    FailureOr<Forward> forward = findForward(module);
    if (failed(forward))
      return signalPassFailure();
    Activity activity(forward->getBody(), forward->trained, forward->getLoss());
    if (failed(verifyDifferentiable(*forward, activity)))
      return signalPassFailure();

    OpBuilder builder(forward->terminator);
    Cotangents cotangents(builder);
    if (failed(differentiate(*forward, activity, builder, cotangents)) || failed(finish(*forward, cotangents)))
      return signalPassFailure();
  }

  /// Builds gradients from the loss back to the trained parameters.
  LogicalResult differentiate(Forward &forward, const Activity &activity, OpBuilder &builder, Cotangents &cotangents) {
    Value loss = forward.getLoss();
    if (!activity.isActive(loss))
      return success();
    cotangents.add(loss, GradientSeedOp::create(builder, loss.getLoc(), loss.getType()), loss.getLoc());

    SmallVector<Operation *> ops;
    for (Operation &op : forward.getBody().without_terminator())
      if (llvm::any_of(op.getResults(), [&](Value result) { return activity.isActive(result); }))
        ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (failed(propagate(op, activity, builder, cotangents)))
        return failure();
    return success();
  }

  LogicalResult propagate(Operation *op, const Activity &activity, OpBuilder &builder, Cotangents &cotangents) {
    SmallVector<Value> incoming, outgoing;
    for (Value result : op->getResults())
      incoming.push_back(activity.isActive(result) ? cotangents.lookup(result) : Value());
    if (llvm::none_of(incoming, [](Value value) { return static_cast<bool>(value); }))
      return success();
    SmallVector<bool> needed;
    for (Value operand : op->getOperands())
      needed.push_back(activity.isActive(operand));
    Operation *last = builder.getInsertionPoint()->getPrevNode();
    auto differentiable = cast<DifferentiableOpInterface>(op);
    if (failed(differentiable.buildVjp(builder, incoming, needed, outgoing)))
      return failure();
    if (checkReads && failed(verifyReads(differentiable, needed, incoming, last, builder)))
      return failure();
    if (outgoing.size() != op->getNumOperands())
      return op->emitOpError() << "built " << outgoing.size() << " gradients for " << op->getNumOperands()
                               << " operands";
    for (auto [operand, gradient, wanted] : llvm::zip_equal(op->getOperands(), outgoing, needed)) {
      if (!gradient || !wanted)
        continue;
      if (gradient.getType() != operand.getType())
        return op->emitOpError() << "built a gradient of type " << gradient.getType() << " for an operand of type "
                                 << operand.getType();
      cotangents.add(operand, gradient, op->getLoc());
    }
    return success();
  }

  /// Whether the ops built behind `last` read no more of `op`'s operands and
  /// results than it declares.
  LogicalResult verifyReads(DifferentiableOpInterface op, ArrayRef<bool> needed, ArrayRef<Value> incoming,
                            Operation *last, OpBuilder &builder) {
    SmallVector<Value> declared(incoming);
    op.getBackwardReads(needed, declared);
    for (Operation *built = last->getNextNode(); built != &*builder.getInsertionPoint(); built = built->getNextNode())
      for (Value value : built->getOperands())
        if ((llvm::is_contained(op->getOperands(), value) || llvm::is_contained(op->getResults(), value)) &&
            !llvm::is_contained(declared, value))
          return op->emitOpError() << "has a gradient that reads " << value << ", which it does not declare";
    return success();
  }

  /// Gives the function its new results and name, and drops what nothing reads.
  LogicalResult finish(Forward &forward, Cotangents &cotangents) {
    func::FuncOp function = forward.function;
    Builder builder(function.getContext());
    SmallVector<Value> values;
    SmallVector<DictionaryAttr> attributes;
    auto keep = [&](unsigned result) {
      values.push_back(forward.terminator.getOperand(result));
      attributes.push_back(DictionaryAttr::get(function.getContext(), function.getResultAttrs(result)));
    };
    keep(forward.lossResult);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (function.getResultAttr(i, names::buffer) && !function.getResultAttr(i, names::role))
        keep(i);

    unsigned count = 0;
    SmallVector<BlockArgument> unreached;
    for (BlockArgument parameter : forward.trained) {
      Value gradient = cotangents.lookup(parameter);
      if (!gradient) {
        unreached.push_back(parameter);
        continue;
      }
      ++count;
      if (ChannelsAttr channels = trainedChannels(parameter)) {
        OpBuilder behind(forward.terminator);
        gradient = TakeChannelsOp::create(behind, gradient.getLoc(), gradient, channels);
      }
      values.push_back(gradient);
      attributes.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr(names::param, builder.getStringAttr(parameterName(parameter))),
           builder.getNamedAttr(names::role, builder.getStringAttr("gradient"))}));
    }
    if (count == 0)
      return function.emitError() << "@forward has nothing to train: no trained parameter reaches the loss";
    for (BlockArgument parameter : unreached) {
      // PyTorch leaves such a gradient None and its optimizers skip it.
      function.emitWarning() << "parameter \"" << parameterName(parameter)
                             << "\" does not reach the loss and will not be trained";
      function.setArgAttr(parameter.getArgNumber(), names::needsGrad, builder.getBoolAttr(false));
    }
    numGradients += count;

    forward.terminator->setOperands(values);
    function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), ValueRange(values).getTypes()));
    function.setAllResultAttrs(attributes);
    function.setSymName("train_step");
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(forward.getBody()))) {
      if (!isOpTriviallyDead(&op))
        continue;
      op.erase();
      ++numDropped;
    }
    return success();
  }
};

} // namespace
} // namespace pocket
