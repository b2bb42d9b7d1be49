#include "Pocket/IR/Pocket.h"
#include "passes/Updates/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_ATTACHOPTIMIZER
#include "passes/Updates/Passes.h.inc"

namespace {

/// A gradient that the function returns, and the parameter it belongs to.
struct Trained {
  unsigned result, parameter;
  /// Which channels it is the gradient of; null for all.
  ChannelsAttr channels;
};

struct AttachOptimizer : impl::AttachOptimizerBase<AttachOptimizer> {
  using AttachOptimizerBase::AttachOptimizerBase;

  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>("train_step");
    if (!function || function.isExternal()) {
      getOperation().emitError() << "has no @train_step with gradients; run pocket-autodiff first";
      return signalPassFailure();
    }
    if (failed(checkOptions(function)))
      return signalPassFailure();
    SmallVector<Trained> trained;
    if (failed(findTrained(function, trained)))
      return signalPassFailure();
    attach(function, trained);
  }

  LogicalResult checkOptions(func::FuncOp function) {
    if (optimizer != "sgd" && optimizer != "adamw")
      return function.emitError() << "unknown optimizer \"" << optimizer << "\"; known are sgd and adamw";
    if (nesterov && momentum == 0.0)
      return function.emitError() << "nesterov needs a momentum";
    auto inRange = [](double x, double end) { return x >= 0.0 && x < end; };
    if (!inRange(momentum, HUGE_VAL) || !inRange(weightDecay, HUGE_VAL) || !inRange(epsilon, HUGE_VAL))
      return function.emitError() << "momentum, weight-decay and epsilon must be numbers from 0 on";
    if (!inRange(beta1, 1.0) || !inRange(beta2, 1.0))
      return function.emitError() << "beta1 and beta2 must lie in [0, 1)";
    return success();
  }

  LogicalResult findTrained(func::FuncOp function, SmallVectorImpl<Trained> &trained) {
    llvm::DenseMap<Attribute, unsigned> parameters;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      if (auto role = function.getArgAttrOfType<StringAttr>(i, names::role); role && role.getValue() == "learning_rate")
        return function.emitError() << "has an optimizer already: argument " << i << " is its learning rate";
      if (function.getArgAttr(i, names::state))
        return function.emitError() << "has an optimizer already: argument " << i << " is its state";
      if (Attribute param = function.getArgAttr(i, names::param))
        parameters[param] = i;
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto role = function.getResultAttrOfType<StringAttr>(i, names::role);
      if (!role || role.getValue() != "gradient")
        continue;
      Attribute param = function.getResultAttr(i, names::param);
      auto found = param ? parameters.find(param) : parameters.end();
      if (found == parameters.end())
        return function.emitError() << "result " << i << " is the gradient of a parameter that is no argument";
      Type type = function.getArgumentTypes()[found->second];
      auto channels = function.getArgAttrOfType<ChannelsAttr>(found->second, names::needsGrad);
      if (channels) {
        FailureOr<RankedTensorType> slice =
            channels.sliceOf(cast<RankedTensorType>(type), [&] { return function.emitError(); });
        if (failed(slice))
          return failure();
        type = *slice;
      }
      if (function.getResultTypes()[i] != type)
        return function.emitError() << "result " << i << " is a gradient of type " << function.getResultTypes()[i]
                                    << " for " << (channels ? "channels of " : "") << "a parameter of type " << type;
      trained.push_back({i, found->second, channels});
    }
    if (trained.empty())
      return function.emitError() << "returns no gradient: there is nothing to update";
    return success();
  }

  /// Adds an argument before the inputs and returns it.
  BlockArgument addArgument(func::FuncOp function, unsigned position, Type type, ArrayRef<NamedAttribute> attributes,
                            Location location) {
    (void)function.insertArgument(position, type, DictionaryAttr::get(&getContext(), attributes), location);
    return function.getArgument(position);
  }

  void attach(func::FuncOp function, ArrayRef<Trained> trained) {
    OpBuilder b(function.getBody().front().getTerminator());
    Operation *terminator = function.getBody().front().getTerminator();
    bool adamw = optimizer == "adamw", buffered = !adamw && momentum != 0.0;

    // State stands behind parameters and buffers.
    unsigned position = 0;
    while (position < function.getNumArguments() && !function.getArgAttr(position, names::role))
      ++position;
    auto state = [&](unsigned parameter, Type type, StringRef name) {
      SmallVector<NamedAttribute> attributes{b.getNamedAttr(names::param, function.getArgAttr(parameter, names::param)),
                                             b.getNamedAttr(names::state, b.getStringAttr(name))};
      if (Attribute layout = function.getArgAttr(parameter, names::layout))
        attributes.push_back(b.getNamedAttr(names::layout, layout));
      numStateElements += cast<RankedTensorType>(type).getNumElements();
      return addArgument(function, position++, type, attributes, function.getArgument(parameter).getLoc());
    };
    SmallVector<std::array<Value, 2>> states;
    for (Trained t : trained) {
      std::array<Value, 2> own{};
      // State is kept for what is trained only.
      Type type = function.getResultTypes()[t.result];
      if (buffered)
        own[0] = state(t.parameter, type, "momentum_buffer");
      if (adamw)
        own = {state(t.parameter, type, "exp_avg"), state(t.parameter, type, "exp_avg_sq")};
      states.push_back(own);
    }
    // Scalars are f32 whatever the parameters are: they count and scale.
    auto scalar = RankedTensorType::get({}, b.getF32Type());
    Value step, newStep;
    if (adamw) {
      step = addArgument(function, position++, scalar, b.getNamedAttr(names::state, b.getStringAttr("step")),
                         function.getLoc());
      ++numStateElements;
      // Counted first, so that no update has to wait for it.
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&function.getBody().front());
      Value one = ConstantOp::create(b, function.getLoc(), scalar,
                                     DenseElementsAttr::get(scalar, b.getF32FloatAttr(1.0f)));
      newStep = AssignOp::create(b, function.getLoc(), step,
                                 AddOp::create(b, function.getLoc(), step, one).getResult());
    }
    Value rate = addArgument(function, position++, scalar,
                             b.getNamedAttr(names::role, b.getStringAttr("learning_rate")), function.getLoc());

    SmallVector<Value> results(terminator->getOperands());
    SmallVector<DictionaryAttr> attributes;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      attributes.push_back(DictionaryAttr::get(&getContext(), function.getResultAttrs(i)));
    auto identity = [&](unsigned parameter, StringRef name) {
      SmallVector<NamedAttribute> attrs{b.getNamedAttr(names::param, function.getArgAttr(parameter, names::param))};
      if (!name.empty())
        attrs.push_back(b.getNamedAttr(names::state, b.getStringAttr(name)));
      return b.getDictionaryAttr(attrs);
    };
    auto add = [&](Value value, DictionaryAttr attrs) {
      results.push_back(value);
      attributes.push_back(attrs);
    };
    for (auto [t, own] : llvm::zip_equal(trained, states)) {
      Value whole = function.getArgument(t.parameter), gradient = results[t.result];
      // The op belongs to the gradient's layer.
      Location location = gradient.getLoc();
      Value parameter = t.channels ? TakeChannelsOp::create(b, location, whole, t.channels).getResult() : whole;
      if (adamw) {
        auto update = AdamwOp::create(b, location, parameter.getType(), parameter.getType(), parameter.getType(),
                                      parameter, gradient, own[0], own[1], rate, newStep, b.getF64FloatAttr(beta1),
                                      b.getF64FloatAttr(beta2), b.getF64FloatAttr(epsilon),
                                      b.getF64FloatAttr(weightDecay));
        results[t.result] = update.getNewParameter();
        add(update.getNewExpAvg(), identity(t.parameter, "exp_avg"));
        add(update.getNewExpAvgSq(), identity(t.parameter, "exp_avg_sq"));
      } else {
        auto update = SgdOp::create(b, location, parameter.getType(), buffered ? parameter.getType() : Type(),
                                    parameter, gradient, rate, own[0], b.getF64FloatAttr(momentum),
                                    nesterov ? b.getUnitAttr() : UnitAttr(), b.getF64FloatAttr(weightDecay));
        results[t.result] = update.getNewParameter();
        if (buffered)
          add(update.getNewMomentumBuffer(), identity(t.parameter, "momentum_buffer"));
      }
      if (t.channels)
        results[t.result] = AssignChannelsOp::create(b, location, whole.getType(), whole, results[t.result], t.channels);
      attributes[t.result] = identity(t.parameter, "");
      ++numUpdates;
    }
    if (adamw)
      add(newStep, b.getDictionaryAttr(b.getNamedAttr(names::state, b.getStringAttr("step"))));

    terminator->setOperands(results);
    function.setFunctionType(b.getFunctionType(function.getArgumentTypes(), ValueRange(results).getTypes()));
    function.setAllResultAttrs(attributes);
  }
};

} // namespace
} // namespace pocket
