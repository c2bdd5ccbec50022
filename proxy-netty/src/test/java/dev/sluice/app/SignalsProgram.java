package dev.sluice.app;

/** Waits for a signal, says so, and then ends or waits for ever. */
final class SignalsProgram {
    private SignalsProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
        if (arguments[0].equals("closed")) {
            Signals.interruptingThisThread().close();
            System.out.println("ready");
            Thread.currentThread().join();
        }
        try (Signals signals = Signals.interruptingThisThread()) {
            System.out.println("ready");
            signals.await();
            System.out.println(
                    "asked to end, interrupted: " + Thread.currentThread().isInterrupted());
            if (arguments[0].equals("waiting")) {
                Thread.currentThread().join();
            }
        }
    }
}
