// SPDX-License-Identifier: MIT
// The source that the precompiled header of the tests belongs to; it has no content of its own.
