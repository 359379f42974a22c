// SPDX-License-Identifier: MIT
module detent/peers

go 1.19
