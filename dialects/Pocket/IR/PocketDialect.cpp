#include "Pocket/IR/Pocket.h"
#include "Pocket/IR/Shapes.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "Pocket/IR/PocketDialect.cpp.inc"
#include "Pocket/IR/PocketEnums.cpp.inc"
#include "Pocket/Interfaces/DifferentiableOpInterface.cpp.inc"
#include "Pocket/Interfaces/UpdateOpInterface.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Pocket/IR/PocketAttrs.cpp.inc"

namespace pocket {

void PocketDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Pocket/IR/PocketAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Pocket/IR/ElementwiseOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Pocket/IR/TensorOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Pocket/IR/NeuralNetworkOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Pocket/IR/BackwardOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Pocket/IR/UpdateOps.cpp.inc"
      >();
}

Operation *PocketDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult ChannelsAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t dim,
                                   ArrayRef<int64_t> begins, ArrayRef<int64_t> ends) {
  if (dim < 0)
    return emitError() << "expects a dimension that is not negative, found " << dim;
  if (begins.size() != ends.size())
    return emitError() << "expects a begin and an end for every range";
  int64_t last = 0;
  for (auto [begin, end] : llvm::zip_equal(begins, ends)) {
    if (begin < last || end <= begin)
      return emitError() << "expects sorted, disjoint, non-empty ranges, found [" << begin << " to " << end << "]";
    last = end;
  }
  return success();
}

int64_t ChannelsAttr::count() const {
  int64_t count = 0;
  for (auto [begin, end] : llvm::zip_equal(getBegins(), getEnds()))
    count += end - begin;
  return count;
}

FailureOr<RankedTensorType> ChannelsAttr::sliceOf(RankedTensorType type,
                                                  llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (getDim() >= type.getRank())
    return emitError() << "has channels along dimension " << getDim() << " of a " << type;
  if (!getEnds().empty() && getEnds().back() > type.getDimSize(getDim()))
    return emitError() << "has channels up to " << getEnds().back() << " along dimension " << getDim() << " of a "
                       << type;
  SmallVector<int64_t> shape(type.getShape());
  shape[getDim()] = count();
  return type.clone(shape);
}

SmallVector<int64_t> ChannelsAttr::indices() const {
  SmallVector<int64_t> indices;
  for (auto [begin, end] : llvm::zip_equal(getBegins(), getEnds()))
    llvm::append_range(indices, llvm::seq(begin, end));
  return indices;
}

ChannelsAttr ChannelsAttr::along(int64_t dim) const { return get(getContext(), dim, getBegins(), getEnds()); }

LogicalResult TilesAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> distribution,
                                ArrayRef<int64_t> vector, ArrayRef<int64_t> reduction, StringRef) {
  for (ArrayRef<int64_t> sizes : {distribution, vector, reduction})
    for (int64_t size : sizes)
      if (size < 0)
        return emitError() << "expects tile sizes that are not negative, found " << size;
  return success();
}

void TilesAttr::print(AsmPrinter &printer) const {
  auto sizes = [&](StringRef name, ArrayRef<int64_t> numbers) {
    printer << name << " = [";
    llvm::interleaveComma(numbers, printer);
    printer << "], ";
  };
  printer << "<";
  sizes("distribution", getDistribution());
  sizes("vector", getVector());
  sizes("reduction", getReduction());
  printer << "pipeline = ";
  printer.printString(getPipeline());
  printer << ">";
}

Attribute TilesAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> distribution, vector, reduction;
  std::string pipeline;
  auto sizes = [&](StringRef name, SmallVector<int64_t> &numbers) -> ParseResult {
    auto number = [&] { return parser.parseInteger(numbers.emplace_back()); };
    if (parser.parseKeyword(name) || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, number))
      return failure();
    return parser.parseComma();
  };
  if (parser.parseLess() || sizes("distribution", distribution) || sizes("vector", vector) ||
      sizes("reduction", reduction) || parser.parseKeyword("pipeline") || parser.parseEqual() ||
      parser.parseString(&pipeline) || parser.parseGreater())
    return {};
  return parser.getChecked<TilesAttr>(loc, parser.getContext(), distribution, vector, reduction, pipeline);
}

void ChannelsAttr::print(AsmPrinter &printer) const {
  printer << "<dim = " << getDim();
  for (auto [begin, end] : llvm::zip_equal(getBegins(), getEnds()))
    printer << ", [" << begin << " to " << end << "]";
  printer << ">";
}

Attribute ChannelsAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t dim;
  SmallVector<int64_t> begins, ends;
  if (parser.parseLess() || parser.parseKeyword("dim") || parser.parseEqual() || parser.parseInteger(dim))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    int64_t begin, end;
    if (parser.parseLSquare() || parser.parseInteger(begin) || parser.parseKeyword("to") || parser.parseInteger(end) ||
        parser.parseRSquare())
      return {};
    begins.push_back(begin);
    ends.push_back(end);
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ChannelsAttr>(loc, parser.getContext(), dim, begins, ends);
}

//===----------------------------------------------------------------------===//
// Attributes of function arguments and results
//===----------------------------------------------------------------------===//

static LogicalResult verifyText(Operation *op, NamedAttribute attribute) {
  if (!isa<StringAttr>(attribute.getValue()))
    return op->emitOpError() << "expects '" << attribute.getName().getValue() << "' to be a string";
  return success();
}

static LogicalResult verifyOneOf(Operation *op, NamedAttribute attribute, ArrayRef<StringRef> allowed) {
  if (failed(verifyText(op, attribute)))
    return failure();
  StringRef value = cast<StringAttr>(attribute.getValue()).getValue();
  if (llvm::is_contained(allowed, value))
    return success();
  auto diagnostic = op->emitOpError() << "has unknown '" << attribute.getName().getValue() << "' \"" << value
                                      << "\"; known are ";
  llvm::interleaveComma(allowed, diagnostic, [&](StringRef name) { diagnostic << '"' << name << '"'; });
  return diagnostic;
}

static LogicalResult verifyNeedsGrad(Operation *op, Type type, Attribute value) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (auto ratio = dyn_cast<FloatAttr>(value)) {
    double r = ratio.getValueAsDouble();
    if (!(r >= 0.0 && r <= 1.0))
      return op->emitOpError() << "expects 'pocket.needs_grad' to be a ratio in [0, 1], found " << r;
    return success();
  }
  if (auto channels = dyn_cast<ChannelsAttr>(value)) {
    if (!tensor || !isa<FloatType>(tensor.getElementType()))
      return op->emitOpError() << "cannot train a " << type << ": 'pocket.needs_grad' needs floating-point elements";
    return channels.sliceOf(tensor, [&] { return op->emitOpError() << "'pocket.needs_grad' "; });
  }
  if (auto flag = dyn_cast<BoolAttr>(value)) {
    if (flag.getValue() && (!tensor || !isa<FloatType>(tensor.getElementType())))
      return op->emitOpError() << "cannot train a " << type << ": 'pocket.needs_grad' needs floating-point elements";
    return success();
  }
  return op->emitOpError() << "expects 'pocket.needs_grad' to be true, false, a ratio or #pocket.channels";
}

static LogicalResult verifyLayout(Operation *op, Type type, Attribute value) {
  auto layout = dyn_cast<DenseI64ArrayAttr>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!layout || !tensor || layout.size() != tensor.getRank() ||
      !isPermutation(layout.asArrayRef()))
    return op->emitOpError() << "expects 'pocket.layout' to be a permutation of the dimensions of " << type;
  return success();
}

LogicalResult PocketDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                      NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError() << "has '" << attribute.getName().getValue() << "' but is no function";
  Type type = function.getArgumentTypes()[argument];
  StringRef name = attribute.getName().getValue();
  if (name == names::needsGrad)
    return verifyNeedsGrad(op, type, attribute.getValue());
  if (name == names::layout)
    return verifyLayout(op, type, attribute.getValue());
  if (name == names::role)
    return verifyOneOf(op, attribute, {"input", "target", "learning_rate"});
  if (llvm::is_contained({names::param, names::buffer, names::state, names::name}, name))
    return verifyText(op, attribute);
  return op->emitOpError() << "has unknown argument attribute '" << name << "'";
}

LogicalResult PocketDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == names::role)
    return verifyOneOf(op, attribute, {"loss", "output", "gradient"});
  if (name == "pocket.inplace" && isa<BoolAttr>(attribute.getValue()))
    return success();
  if (llvm::is_contained({names::param, names::buffer, names::state, names::name}, name))
    return verifyText(op, attribute);
  return op->emitOpError() << "has unknown result attribute '" << name << "'";
}

LogicalResult PocketDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == "pocket.tiles" && isa<TilesAttr>(attribute.getValue()))
    return success();
  if (name == "pocket.form" && isa<StringAttr>(attribute.getValue()))
    return success();
  if (name == names::costs && isa<DictionaryAttr>(attribute.getValue()))
    return success();
  return op->emitOpError() << "has unknown attribute '" << name << "'";
}

} // namespace pocket
