package peer;

import static peer.Checks.check;
import static peer.Checks.same;
import static peer.Checks.waitFor;

import com.dubbo.api.StressTestService;
import com.dubbo.api.UserService;
import com.dubbo.vo.User;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.rpc.RpcException;

/**
 * What a consumer meets when a provider is full, and when one of two is restarted:
 * {@code peer.Outages FULL_ADDRESS REGISTRY}. What happens to the providers is said on the standard
 * input, what is to happen to them on the standard output.
 */
public final class Outages {
    private static final int THREADS = 4;
    /** Calls after the restart that are enough to have met the new provider. */
    private static final int AFTERWARDS = 400;
    private static final BufferedReader INPUT = new BufferedReader(new InputStreamReader(System.in));

    private Outages() {}

    public static void main(String[] args) throws Exception {
        full(args[0]);
        restart(args[1]);
        Checks.end();
    }

    /** The provider's only thread is held by a call for user 1. */
    private static void full(String address) throws Exception {
        UserService users = Peer.reference(UserService.class, Peer.VERSION, address).get();
        waitFor(() -> users.getUserInfo(0));
        CompletableFuture<User> held = CompletableFuture.supplyAsync(() -> users.getUserInfo(1));
        hear("held");
        check("pool exhausted", () -> {
            try {
                users.getUserInfo(2);
                throw new AssertionError("nothing was thrown");
            } catch (RpcException thrown) {
                String message = thrown.getMessage();
                same(message, message.contains("thread pool is exhausted") ? message : "the pool's text");
                same(message, message.contains("threads: 1") ? message : "the pool's size");
                same(false, thrown.isBiz());
                same(false, thrown.isTimeout());
            }
        });
        say("refused");
        check("the call that held it", () -> same("userName1", held.get().getUserName()));
    }

    /** Calls all the time while one of two providers goes and comes back. */
    private static void restart(String registry) throws Exception {
        ReferenceConfig<StressTestService> reference =
            Peer.reference(StressTestService.class, Peer.VERSION, registry);
        reference.setRetries(2);
        StressTestService stress = reference.get();
        waitFor(() -> stress.StressString("up"));
        AtomicBoolean enough = new AtomicBoolean();
        AtomicInteger good = new AtomicInteger();
        AtomicInteger bad = new AtomicInteger();
        AtomicReference<Throwable> first = new AtomicReference<>();
        Thread[] callers = new Thread[THREADS];
        for (int n = 0; n < THREADS; n++) {
            callers[n] = new Thread(() -> {
                while (!enough.get()) {
                    try {
                        same("load", stress.StressString("load"));
                        good.incrementAndGet();
                    } catch (Throwable thrown) {
                        bad.incrementAndGet();
                        first.compareAndSet(null, thrown);
                    }
                }
            });
            callers[n].start();
        }
        passed(good, AFTERWARDS);
        say("loaded");
        hear("restarted");
        passed(good, good.get() + AFTERWARDS);
        enough.set(true);
        for (Thread caller : callers) caller.join();
        check("no call fails over a restart", () -> same("0: null", bad.get() + ": " + first.get()));
    }

    /** Waits until so many calls were good; bounded, since each call has a timeout. */
    private static void passed(AtomicInteger good, int count) throws InterruptedException {
        long end = System.currentTimeMillis() + 60000;
        while (good.get() < count && System.currentTimeMillis() < end) Thread.sleep(1);
    }

    private static void say(String word) {
        System.out.println(word);
        System.out.flush();
    }

    private static void hear(String word) throws IOException {
        String heard = INPUT.readLine();
        if (!word.equals(heard)) throw new IOException("wanted " + word + ", heard " + heard);
    }
}
