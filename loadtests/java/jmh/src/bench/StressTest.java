package bench;

import com.dubbo.api.StressTestService;
import com.dubbo.vo.User;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** The calls of the stress fixture by Java's Dubbo, with the settings of the published study. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.All)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 3, time = 10)
@Fork(1)
@Threads(32)
public class StressTest {
    private static final String PATTERN = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    private ReferenceConfig<StressTestService> reference;
    private StressTestService service;
    private final String shortText = text(11);
    private final String text1k = text(1024);
    private final String text50k = text(50 * 1024);
    private final String text100k = text(100 * 1024);
    private final List<User> users = new ArrayList<>();

    @Setup(Level.Trial)
    public void connect() throws InterruptedException {
        for (long id = 1; id <= 10; id++) users.add(new User(id, "userName" + id, "sent by the consumer"));
        ApplicationConfig application = new ApplicationConfig("jmh");
        application.setQosEnable(false);
        reference = new ReferenceConfig<>();
        reference.setApplication(application);
        reference.setRegistry(new RegistryConfig("N/A"));
        reference.setInterface(StressTestService.class);
        reference.setVersion("1.0.0");
        reference.setUrl(System.getProperty("provider"));
        reference.setTimeout(10000);
        reference.setRetries(0);
        reference.setCheck(false);
        service = reference.get();
        waitFor();
    }

    @TearDown(Level.Trial)
    public void disconnect() { reference.destroy(); }

    @Benchmark
    public String string() { return same(shortText, service.StressString(shortText)); }

    @Benchmark
    public String string1k() { return same(text1k, service.StressString1k(text1k)); }

    @Benchmark
    public String string50k() { return same(text50k, service.StressTest50K(text50k)); }

    @Benchmark
    public String string100k() { return same(text100k, service.StressTest100K(text100k)); }

    @Benchmark
    public User pojo() { return same(users.get(0), service.StressTestPojo(users.get(0))); }

    @Benchmark
    public List<User> listPojo() { return same(users, service.StressListUser(users)); }

    /** Consumers of 3.x refuse calls for some seconds after the provider is found. */
    private void waitFor() throws InterruptedException {
        long end = System.currentTimeMillis() + 40000;
        while (true) {
            try {
                service.StressTest50K("ready?");
                return;
            } catch (RuntimeException notYet) {
                if (System.currentTimeMillis() > end) throw notYet;
                Thread.sleep(100);
            }
        }
    }

    private static <T> T same(T sent, T received) {
        if (!sent.equals(received)) throw new IllegalStateException("the reply differs from what was sent");
        return received;
    }

    private static String text(int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) text.append(PATTERN.charAt(i % PATTERN.length()));
        return text.toString();
    }
}
