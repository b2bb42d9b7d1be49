// RUN: pocket-opt %s --pocket-to-linalg=vector-bits=0 --canonicalize | FileCheck %s --check-prefix=UNKNOWN
// RUN: pocket-opt %s --pocket-to-linalg=vector-bits=128 --canonicalize | FileCheck %s --check-prefix=ARM
// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s --check-prefix=AVX2
// RUN: pocket-opt %s --pocket-to-linalg=vector-bits=512 --canonicalize | FileCheck %s --check-prefix=AVX512

// A panel is two registers wide. Its rows are what is left of the registers: with
// 16 of them (AVX2) up to 6 rows of two, with 32 up to 14; here that is 12, which
// divides 48.

// A target whose registers are not known, a GPU, chooses for itself.
// UNKNOWN-LABEL: func.func @product(
// UNKNOWN-SAME: %[[X:.*]]: tensor<48x16xf32>, %[[W:.*]]: tensor<16x64xf32>)
// UNKNOWN-NOT: linalg.pack
// UNKNOWN: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W]] : tensor<48x16xf32>, tensor<16x64xf32>) outs(%{{.*}} : tensor<48x64xf32>) {
// UNKNOWN-NOT: pocket.tiles

// ARM-LABEL: func.func @product(
// ARM: linalg.pack {{.*}} inner_tiles = [8] {{.*}} : tensor<16x64xf32> -> tensor<8x16x8xf32>
// ARM: pocket.tiles<distribution = [1, 48, 8, 0], vector = [1, 12, 8, 0], reduction = [0, 0, 0, 4],

// AVX2-LABEL: func.func @product(
// AVX2: linalg.pack {{.*}} inner_tiles = [16] {{.*}} : tensor<16x64xf32> -> tensor<4x16x16xf32>
// AVX2: pocket.tiles<distribution = [1, 48, 16, 0], vector = [1, 6, 16, 0], reduction = [0, 0, 0, 4],

// AVX512-LABEL: func.func @product(
// AVX512: linalg.pack {{.*}} inner_tiles = [32] {{.*}} : tensor<16x64xf32> -> tensor<2x16x32xf32>
// AVX512: pocket.tiles<distribution = [1, 48, 32, 0], vector = [1, 12, 32, 0], reduction = [0, 0, 0, 4],
func.func @product(%x: tensor<48x16xf32>, %w: tensor<16x64xf32>) -> tensor<48x64xf32> {
  %0 = pocket.matmul %x, %w : (tensor<48x16xf32>, tensor<16x64xf32>) -> tensor<48x64xf32>
  return %0 : tensor<48x64xf32>
}

// How many rows make a block of the packed left operand: a register's width in whole
// tiles where they divide the rows (16 = 2 * 8), else one tile.
// UNKNOWN-LABEL: func.func @packed_rows(
// UNKNOWN-NOT: linalg.pack
// ARM-LABEL: func.func @packed_rows(
// ARM: linalg.pack %arg0 {{.*}} inner_tiles = [8] {{.*}} -> tensor<4x64x8xf32>
// ARM: vector = [1, 1, 8, 8, 0]
// AVX2-LABEL: func.func @packed_rows(
// AVX2: linalg.pack %arg0 {{.*}} inner_tiles = [8] {{.*}} -> tensor<4x64x8xf32>
// AVX2: vector = [1, 1, 4, 16, 0]
// AVX512-LABEL: func.func @packed_rows(
// AVX512: linalg.pack %arg0 {{.*}} inner_tiles = [16] {{.*}} -> tensor<2x64x16xf32>
// AVX512: vector = [1, 1, 8, 32, 0]
func.func @packed_rows(%x: tensor<64x32xf32>, %w: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %0 = pocket.matmul %x transposed, %w : (tensor<64x32xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// Rows that one such block holds stay in tiles: a loop over a single block would be
// folded away.
// UNKNOWN-LABEL: func.func @one_block(
// UNKNOWN-NOT: linalg.pack
// ARM-LABEL: func.func @one_block(
// ARM: linalg.pack %arg0 {{.*}} inner_tiles = [8] {{.*}} -> tensor<2x32x8xf32>
// AVX2-LABEL: func.func @one_block(
// AVX2: linalg.pack %arg0 {{.*}} inner_tiles = [8] {{.*}} -> tensor<2x32x8xf32>
// AVX512-LABEL: func.func @one_block(
// AVX512: linalg.pack %arg0 {{.*}} inner_tiles = [8] {{.*}} -> tensor<2x32x8xf32>
// AVX512: vector = [1, 1, 8, 32, 0]
func.func @one_block(%x: tensor<32x16xf32>, %w: tensor<32x64xf32>) -> tensor<16x64xf32> {
  %0 = pocket.matmul %x transposed, %w : (tensor<32x16xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
