// SPDX-License-Identifier: Apache-2.0
//
// Nothing to call: linking VisibleMutex.c into a test is its use.
