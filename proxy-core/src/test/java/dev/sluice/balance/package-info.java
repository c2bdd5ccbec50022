/** Tests of {@link dev.sluice.balance}. Threads: each test says which it starts. */
@NullMarked
package dev.sluice.balance;

import org.jspecify.annotations.NullMarked;
