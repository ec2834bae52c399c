// SPDX-License-Identifier: Apache-2.0
//
// TestProcess.c has all of it: nothing is called.
#pragma once
