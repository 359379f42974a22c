// SPDX-License-Identifier: MIT
// The source that the precompiled header of the programs here belongs to; it has no content of its own.
