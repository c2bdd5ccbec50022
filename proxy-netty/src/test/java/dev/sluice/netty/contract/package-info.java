/**
 * What a TCP client and a backend see through the proxy, as tests that any implementation of the
 * data path runs through: {@code BytesContract}, {@code HalfCloseContract}, {@code ResetContract},
 * {@code BackPressureContract} and {@code LeftoversContract} state TCP's own behaviour and hold for
 * a direct connection, too; {@code DialContract}, {@code BalanceContract}, {@code
 * NoEndpointContract} and {@code SwapContract} state what a proxy adds.
 *
 * <p>Entry type: {@link dev.sluice.netty.contract.ProxyUnderTest}; an implementation's test class
 * has one nested class per contract and gives each its {@link
 * dev.sluice.netty.contract.ProxyUnderTest.Factory}. Threads: the test's own, unless a method says
 * otherwise.
 */
@NullMarked
package dev.sluice.netty.contract;

import org.jspecify.annotations.NullMarked;
