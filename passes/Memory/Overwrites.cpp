#include "passes/Memory/Overwrites.h"

using namespace mlir;

namespace pocket {

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

Identity Identity::ofArgument(func::FuncOp function, unsigned argument) {
  return {function.getArgAttr(argument, names::param), function.getArgAttr(argument, names::buffer),
          function.getArgAttr(argument, names::state)};
}

Identity Identity::ofResult(func::FuncOp function, unsigned result) {
  if (function.getResultAttr(result, names::role))
    return {};
  return {function.getResultAttr(result, names::param), function.getResultAttr(result, names::buffer),
          function.getResultAttr(result, names::state)};
}

std::string Identity::describe() const {
  auto text = [](Attribute attribute) {
    auto string = dyn_cast_or_null<StringAttr>(attribute);
    return string ? ("\"" + string.getValue() + "\"").str() : std::string();
  };
  if (state)
    return "state " + text(state) + (param ? " of " + text(param) : "");
  return param ? "parameter " + text(param) : "buffer " + text(buffer);
}

bool isFlat(func::FuncOp function) {
  return llvm::hasSingleElement(function.getBody()) &&
         isa<func::ReturnOp>(function.getBody().front().getTerminator()) &&
         llvm::all_of(function.getBody().front(), [](Operation &op) { return op.getNumRegions() == 0; });
}

SmallVector<Overwrite> findOverwrites(func::FuncOp function) {
  SmallVector<Overwrite> overwrites;
  if (!isFlat(function))
    return overwrites;
  Operation *terminator = function.getBody().front().getTerminator();
  DenseSet<unsigned> taken;
  for (unsigned result = 0; result < function.getNumResults(); ++result) {
    Identity identity = Identity::ofResult(function, result);
    if (!identity)
      continue;
    for (BlockArgument argument : function.getArguments()) {
      if (!(Identity::ofArgument(function, argument.getArgNumber()) == identity))
        continue;
      if (!taken.insert(argument.getArgNumber()).second)
        break;
      auto value = dyn_cast<OpResult>(terminator->getOperand(result));
      auto update = value ? dyn_cast<UpdateOpInterface>(value.getOwner()) : UpdateOpInterface();
      bool matches = update && update->getOperand(update.getOverwrittenOperand(value.getResultNumber())) == argument;
      auto inPlace = function.getResultAttrOfType<BoolAttr>(result, inPlaceAttribute);
      overwrites.push_back(
          {argument, result, matches ? update.getOperation() : nullptr, !inPlace || inPlace.getValue()});
      break;
    }
  }
  return overwrites;
}

//===----------------------------------------------------------------------===//
// What is fused
//===----------------------------------------------------------------------===//

/// Ops that are repeated in, or moved into, everything that uses them.
static bool isMovement(Operation *op) {
  return isa<ReshapeOp, TransposeOp, BroadcastOp, SliceOp, SliceGradOp, ConcatOp, PadOp, ReverseOp, ConvertOp,
             EmbeddingOp, GatherOp, TakeChannelsOp>(op);
}

static bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<AddOp, SubOp, MulOp, DivOp, PowOp, MaximumOp, MinimumOp, AndOp, OrOp, XorOp, CompareOp, SelectOp,
             BatchNormInferenceOp, UnpackBitsOp>(op);
}

/// Ops that compute along with their first user, at least in part.
static bool isFusedWithUser(Operation *op) {
  return isElementwise(op) || isa<BatchNormTrainingOp, LayerNormOp, LayerNormInputGradOp, SoftmaxOp, SoftmaxGradOp,
                                  LogSoftmaxOp, LogSoftmaxGradOp, CrossEntropyOp, CrossEntropyGradOp, AttentionOp>(op);
}

bool runsInPlace(Operation *op) {
  return !isMovement(op) && !isFusedWithUser(op) && !op->hasTrait<OpTrait::ConstantLike>();
}

static Operation *later(Operation *a, Operation *b) { return !a ? b : !b || b->isBeforeInBlock(a) ? a : b; }
static Operation *earlier(Operation *a, Operation *b) { return !a ? b : !b || a->isBeforeInBlock(b) ? a : b; }

//===----------------------------------------------------------------------===//
// Where reads happen
//===----------------------------------------------------------------------===//

namespace {
/// Looks for reads of one argument, as seen by one update of it.
class ReadFinder {
public:
  ReadFinder(BlockArgument argument, Operation *update)
      : shape(cast<ShapedType>(argument.getType()).getShape()), update(update) {}

  void visit(Value value, bool sameElements) {
    for (OpOperand &use : value.getUses()) {
      Operation *op = use.getOwner();
      if (op == update) {
        // The update's own loop reads the element that it is about to write,
        // unless a movement mixed them up.
        if (!sameElements)
          add(op, op);
      } else if (isMovement(op)) {
        visit(op->getResult(0), false);
        add(op, op);
      } else if (!sameElements || !reachesUpdate(op)) {
        add(op, runsAt(op));
      }
    }
  }

  Read getLast() const { return last; }

private:
  void add(Operation *reader, Operation *place) {
    if (!last || last.place->isBeforeInBlock(place))
      last = {reader, place};
  }

  /// The latest place where `op` may run: with the first of its users if it is
  /// fused with that.
  Operation *runsAt(Operation *op) {
    if (runsInPlace(op)) {
      // A movement of the result alone is folded into the loop, which then
      // stands where the movement stood.
      while (op->hasOneUse() && isMovement(*op->getUsers().begin()))
        op = *op->getUsers().begin();
      return op;
    }
    if (auto known = places.find(op); known != places.end())
      return known->second;
    Operation *place = nullptr;
    for (Operation *user : op->getUsers())
      if (!user->hasTrait<OpTrait::IsTerminator>())
        place = earlier(place, runsAt(user));
    place = later(place, op);
    places[op] = place;
    return place;
  }

  /// Whether `op` is part of the elementwise loop that ends in the update.
  bool reachesUpdate(Operation *op) {
    if (op == update)
      return true;
    if (!isElementwise(op) || cast<ShapedType>(op->getResult(0).getType()).getShape() != shape)
      return false;
    auto [known, isNew] = reaches.try_emplace(op, false);
    if (!isNew)
      return known->second;
    bool found = llvm::any_of(op->getUsers(), [&](Operation *user) { return reachesUpdate(user); });
    return reaches[op] = found;
  }

  ArrayRef<int64_t> shape;
  Operation *update;
  Read last;
  DenseMap<Operation *, Operation *> places;
  DenseMap<Operation *, bool> reaches;
};
} // namespace

Read findLastRead(BlockArgument argument, Operation *update) {
  ReadFinder finder(argument, update);
  finder.visit(argument, true);
  return finder.getLast();
}

//===----------------------------------------------------------------------===//
// Where updates happen
//===----------------------------------------------------------------------===//

namespace {
/// Follows what flows into an update back to the root it is fused into.
class RootFinder {
public:
  void visit(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->hasTrait<OpTrait::ConstantLike>() || !visited.insert(op).second)
      return;
    bool fused = !isa<UpdateOpInterface>(op) && feedsOnlyUpdates(op);
    if (fused && (isMovement(op) || isElementwise(op))) {
      for (Value operand : op->getOperands())
        visit(operand);
      return;
    }
    last = later(last, op);
    if (fused)
      root = later(root, op);
  }

  /// The root, if all else that the update needs is there when it runs.
  Operation *getRoot() const { return root == last ? root : nullptr; }

private:
  bool feedsOnlyUpdates(Operation *op) {
    auto [known, isNew] = feeds.try_emplace(op, false);
    if (!isNew)
      return known->second;
    bool only = llvm::all_of(op->getUsers(), [&](Operation *user) {
      return isa<UpdateOpInterface>(user) || ((isMovement(user) || isElementwise(user)) && feedsOnlyUpdates(user));
    });
    return feeds[op] = only;
  }

  DenseSet<Operation *> visited;
  DenseMap<Operation *, bool> feeds;
  Operation *root = nullptr, *last = nullptr;
};
} // namespace

Operation *findPlaceOfUpdate(Operation *update) {
  RootFinder finder;
  for (Value operand : update->getOperands())
    finder.visit(operand);
  Operation *root = finder.getRoot();
  return root ? root : update;
}

Read findLateRead(const Overwrite &overwrite) {
  if (!overwrite.update || !overwrite.inPlace)
    return {};
  Read read = findLastRead(overwrite.argument, overwrite.update);
  Operation *place = findPlaceOfUpdate(overwrite.update);
  return read && !read.place->isBeforeInBlock(place) ? read : Read();
}

} // namespace pocket
