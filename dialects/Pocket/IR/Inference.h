// What result type inference may rely on. It is also called for what no verifier has
// seen: by Python, with any number of operands, without attributes that have a default,
// without those that have none.
#ifndef POCKET_IR_INFERENCE_H
#define POCKET_IR_INFERENCE_H

#include "mlir/IR/OpDefinition.h"

namespace pocket {
namespace detail {

/// How many operands an op has that are neither optional nor variadic, by its traits.
template <typename Op, unsigned... N>
constexpr unsigned fixedOperands(std::integer_sequence<unsigned, N...>) {
  using namespace mlir::OpTrait;
  unsigned count = Op::template hasTrait<OneOperand>() ? 1 : 0;
  // NOperands is for two and more.
  ((count = Op::template hasTrait<NOperands<N + 2>::template Impl>() ? N + 2 : count), ...);
  ((count = Op::template hasTrait<AtLeastNOperands<N + 1>::template Impl>() ? N + 1 : count), ...);
  return count;
}

template <typename Properties, typename = void>
struct HasSegments : std::false_type {};
template <typename Properties>
struct HasSegments<Properties, std::void_t<decltype(Properties::operandSegmentSizes)>> : std::true_type {};

/// Checks that every operand the op asks for is there, so that it can be read.
template <typename Op, typename Properties>
llvm::LogicalResult checkOperands(mlir::Location location, mlir::ValueRange operands, const Properties &properties) {
  constexpr unsigned fixed = fixedOperands<Op>(std::make_integer_sequence<unsigned, 8>());
  constexpr bool more = Op::template hasTrait<mlir::OpTrait::VariadicOperands>() ||
                        Op::template hasTrait<mlir::OpTrait::AtLeastNOperands<fixed>::template Impl>();
  auto error = [&] { return mlir::emitError(location) << "'" << Op::getOperationName() << "' op "; };
  if (more ? operands.size() < fixed : operands.size() != fixed)
    return error() << "expects " << fixed << (more ? " or more" : "") << " operands, found " << operands.size();
  if constexpr (HasSegments<Properties>::value) {
    // Our ops have their optional operands last.
    size_t sum = 0;
    for (auto [i, size] : llvm::enumerate(properties.operandSegmentSizes)) {
      if (i < fixed ? size != 1 : size != 0 && size != 1)
        return error() << "expects one operand in each segment, or none in those of optional ones";
      sum += size;
    }
    if (sum != operands.size())
      return error() << "has " << operands.size() << " operands in segments of " << sum;
  }
  return mlir::success();
}

} // namespace detail

/// Infers result types through an adaptor whose operands and attributes are all there
/// and of their kind; reports what is not.
template <typename Op>
llvm::LogicalResult inferReturnTypes(mlir::MLIRContext *context, std::optional<mlir::Location> maybeLocation,
                                     mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                     mlir::OpaqueProperties given, mlir::RegionRange regions,
                                     llvm::SmallVectorImpl<mlir::Type> &types) {
  using Properties = typename Op::template InferredProperties<Op>;
  mlir::Location location = maybeLocation.value_or(mlir::UnknownLoc::get(context));
  Properties properties = given ? *given.as<Properties *>() : Properties{};
  if constexpr (!std::is_same_v<Properties, mlir::EmptyProperties>) {
    auto error = [&] { return mlir::emitError(location) << "'" << Op::getOperationName() << "' op "; };
    if (!given && attributes && failed(Op::setPropertiesFromAttr(properties, attributes, error)))
      return mlir::failure();
  }
  Op::populateDefaultProperties(mlir::OperationName(Op::getOperationName(), context), properties);
  typename Op::Adaptor adaptor(operands, attributes, properties, regions);
  if (failed(detail::checkOperands<Op>(location, operands, properties)) || failed(adaptor.verify(location)))
    return mlir::failure();
  return Op::inferReturnTypes(context, maybeLocation, adaptor, types);
}

} // namespace pocket

#endif // POCKET_IR_INFERENCE_H
