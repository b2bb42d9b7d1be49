// The lowering patterns, one file per family of ops.
#ifndef POCKET_PASSES_LOWERING_PATTERNS_H
#define POCKET_PASSES_LOWERING_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace pocket {
class Tiles;

void populateElementwiseToLinalg(mlir::RewritePatternSet &patterns);
void populateTensorToLinalg(mlir::RewritePatternSet &patterns, const Tiles &tiles);
void populateMatmulToLinalg(mlir::RewritePatternSet &patterns, const Tiles &tiles);
void populateConvolutionToLinalg(mlir::RewritePatternSet &patterns, const Tiles &tiles);
void populatePoolingToLinalg(mlir::RewritePatternSet &patterns);
void populateNormalizationToLinalg(mlir::RewritePatternSet &patterns, const Tiles &tiles);
void populateSoftmaxToLinalg(mlir::RewritePatternSet &patterns, const Tiles &tiles);
void populateLossToLinalg(mlir::RewritePatternSet &patterns, const Tiles &tiles);
void populateBackwardToLinalg(mlir::RewritePatternSet &patterns);
void populateUpdateToLinalg(mlir::RewritePatternSet &patterns);
} // namespace pocket

#endif // POCKET_PASSES_LOWERING_PATTERNS_H
