// RUN: pocket-opt %s --verify-diagnostics --split-input-file

// expected-error @+1 {{expects a dimension that is not negative, found -1}}
func.func private @test(tensor<4xf32> {pocket.needs_grad = #pocket.channels<dim = -1, [0 to 2]>})

// -----

// expected-error @+1 {{expects sorted, disjoint, non-empty ranges, found [1 to 4]}}
func.func private @test(tensor<4xf32> {pocket.needs_grad = #pocket.channels<dim = 0, [0 to 2], [1 to 4]>})

// -----

// expected-error @+1 {{expects sorted, disjoint, non-empty ranges, found [2 to 2]}}
func.func private @test(tensor<4xf32> {pocket.needs_grad = #pocket.channels<dim = 0, [2 to 2]>})

// -----

// expected-error @+1 {{expects sorted, disjoint, non-empty ranges, found [-1 to 2]}}
func.func private @test(tensor<4xf32> {pocket.needs_grad = #pocket.channels<dim = 0, [-1 to 2]>})

// -----

// expected-error @+1 {{integer value too large}}
func.func private @test(tensor<4xf32> {pocket.needs_grad = #pocket.channels<dim = 99999999999999999999, [0 to 2]>})

// -----

// expected-error @+1 {{'pocket.needs_grad' has channels along dimension 1 of a 'tensor<4xf32>'}}
func.func private @test(tensor<4xf32> {pocket.needs_grad = #pocket.channels<dim = 1, [0 to 2]>})

// -----

// expected-error @+1 {{'pocket.needs_grad' has channels up to 5 along dimension 0 of a 'tensor<4xf32>'}}
func.func private @test(tensor<4xf32> {pocket.needs_grad = #pocket.channels<dim = 0, [0 to 5]>})

// -----

// expected-error @+1 {{expects 'pocket.needs_grad' to be a ratio in [0, 1], found 1.500000e+00}}
func.func private @test(tensor<4xf32> {pocket.needs_grad = 1.5})

// -----

// expected-error @+1 {{expects 'pocket.needs_grad' to be true, false, a ratio or #pocket.channels}}
func.func private @test(tensor<4xf32> {pocket.needs_grad = 1})

// -----

// expected-error @+1 {{cannot train a 'tensor<4xi64>': 'pocket.needs_grad' needs floating-point elements}}
func.func private @test(tensor<4xi64> {pocket.needs_grad = true})

// -----

// expected-error @+1 {{has unknown 'pocket.role' "weight"; known are "input", "target", "learning_rate"}}
func.func private @test(tensor<4xf32> {pocket.role = "weight"})

// -----

// expected-error @+1 {{expects 'pocket.role' to be a string}}
func.func private @test(tensor<4xf32> {pocket.role = 1})

// -----

// expected-error @+1 {{has unknown 'pocket.role' "input"; known are "loss", "output", "gradient"}}
func.func private @test() -> (tensor<4xf32> {pocket.role = "input"})

// -----

// expected-error @+1 {{expects 'pocket.param' to be a string}}
func.func private @test(tensor<4xf32> {pocket.param})

// -----

// expected-error @+1 {{expects 'pocket.layout' to be a permutation of the dimensions of 'tensor<4x3xf32>'}}
func.func private @test(tensor<4x3xf32> {pocket.layout = array<i64: 0, 0>})

// -----

// expected-error @+1 {{expects 'pocket.layout' to be a permutation of the dimensions of 'tensor<4x3xf32>'}}
func.func private @test(tensor<4x3xf32> {pocket.layout = array<i64: 0, 9223372036854775807>})

// -----

// expected-error @+1 {{expects 'pocket.layout' to be a permutation of the dimensions of 'tensor<4x3xf32>'}}
func.func private @test(tensor<4x3xf32> {pocket.layout = array<i64: 0>})

// -----

// expected-error @+1 {{expects 'pocket.layout' to be a permutation of the dimensions of 'f32'}}
func.func private @test(f32 {pocket.layout = array<i64>})

// -----

// expected-error @+1 {{has unknown argument attribute 'pocket.parameter'}}
func.func private @test(tensor<4xf32> {pocket.parameter = "fc.weight"})

// -----

// expected-error @+1 {{has unknown result attribute 'pocket.needs_grad'}}
func.func private @test() -> (tensor<4xf32> {pocket.needs_grad = true})

// -----

// expected-error @+1 {{has unknown attribute 'pocket.tile'}}
func.func private @test() attributes {pocket.tile}

// -----

// expected-error @+1 {{has unknown attribute 'pocket.tiles'}}
func.func private @test() attributes {pocket.tiles = 1}

// -----

// expected-error @+1 {{expects tile sizes that are not negative, found -4}}
func.func private @test() attributes {pocket.tiles = #pocket.tiles<distribution = [-4], vector = [], reduction = [], pipeline = "">}
