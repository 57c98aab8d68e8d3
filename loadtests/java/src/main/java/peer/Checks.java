package peer;

import java.util.Objects;

/** Checks with a name each, printed as {@code ok NAME} or {@code FAIL NAME: reason}. */
final class Checks {
    private static int failures;

    private Checks() {}

    interface Check { void run() throws Throwable; }

    static void check(String name, Check check) {
        try {
            check.run();
            System.out.println("ok " + name);
        } catch (Throwable thrown) {
            failures++;
            String reason = String.valueOf(thrown).replace('\n', ' ');
            System.out.println("FAIL " + name + ": " + reason.substring(0, Math.min(600, reason.length())));
        }
        System.out.flush();
    }

    static void same(Object expected, Object found) {
        if (!Objects.equals(expected, found)) {
            String text = "wanted " + expected + ", found " + found;
            throw new AssertionError(text.substring(0, Math.min(300, text.length())));
        }
    }

    /** Consumers of 3.x refuse calls for some seconds after the provider is found. */
    static void waitFor(Check check) throws Exception {
        long end = System.currentTimeMillis() + 40000;
        while (true) {
            try {
                check.run();
                return;
            } catch (Throwable notYet) {
                if (System.currentTimeMillis() > end) throw new Exception("not reached: " + notYet, notYet);
                Thread.sleep(100);
            }
        }
    }

    /** Says that all is done, and ends at once: the shutdown hooks of Dubbo wait for their own sake. */
    static void end() {
        System.out.println("done " + failures);
        System.out.flush();
        Runtime.getRuntime().halt(failures == 0 ? 0 : 1);
    }
}
