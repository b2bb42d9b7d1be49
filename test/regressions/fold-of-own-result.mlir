// A module's body needs no dominance: an op may read its own result. Folding
// such an op to itself never ends.
// RUN: pocket-opt %s --canonicalize | FileCheck %s

// CHECK: module
%0 = pocket.reshape %0 : (tensor<2xf32>) -> tensor<2xf32>
%1 = pocket.neg %2 : tensor<2xf32>
%2 = pocket.neg %1 : tensor<2xf32>
%3 = pocket.transpose %4 permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
%4 = pocket.transpose %3 permutation = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
%5 = pocket.relu %5 : tensor<2xf32>
%true = pocket.constant dense<true> : tensor<i1>
%6 = pocket.select %true, %6, %6 : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
%7 = pocket.concat %7 dim = 0 : (tensor<2xf32>) -> tensor<2xf32>
%8 = pocket.sum %8 dims = [] : (tensor<2xf32>) -> tensor<2xf32>
%9 = pocket.reshape %10 : (tensor<2x3xf32>) -> tensor<6xf32>
%10 = pocket.reshape %9 : (tensor<6xf32>) -> tensor<2x3xf32>
