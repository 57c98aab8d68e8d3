package peer;

import static peer.Checks.check;
import static peer.Checks.same;
import static peer.Checks.waitFor;

import com.dubbo.api.BizException;
import com.dubbo.api.StressTestService;
import com.dubbo.api.TypesService;
import com.dubbo.api.UserService;
import com.dubbo.vo.Color;
import com.dubbo.vo.Member;
import com.dubbo.vo.User;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.dubbo.common.Version;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.rpc.service.EchoService;
import org.apache.dubbo.rpc.service.GenericService;

/** Checks a provider: {@code peer.Consumer ADDRESS}, a direct one or a registry's. */
public final class Consumer {
    private Consumer() {}

    public static void main(String[] args) throws Exception {
        String address = args[0];
        // A direct address knows no versions to choose from: the asterisk would be sent as it is.
        String any = address.startsWith("dubbo://") ? Peer.VERSION : "*";
        StressTestService stress = Peer.reference(StressTestService.class, any, address).get();
        UserService users = Peer.reference(UserService.class, Peer.VERSION, address).get();
        TypesService types = Peer.reference(TypesService.class, Peer.VERSION, address).get();
        waitFor(() -> stress.StressString("up"));
        strings(stress);
        beans(stress, users);
        types(types);
        failures(types);
        many(stress);
        generic(address);
        check("echo", () -> same("ping", ((EchoService) stress).$echo("ping")));
        Checks.end();
    }

    private static void strings(StressTestService stress) {
        String ascii = repeat("0123456789abcdef", 64);
        String edge = repeat("x", 32767) + "\uD83D\uDE00" + repeat("y", 40000);
        check("string", () -> same("hello", stress.StressString("hello")));
        check("string-empty", () -> same("", stress.StressString("")));
        check("string-null", () -> same(null, stress.StressString(null)));
        check("string-1k", () -> same(ascii, stress.StressString1k(ascii)));
        check("string-1k-no-file", () -> same(ascii, stress.StressString1kNoFile(ascii)));
        check("string-50k", () -> same(repeat(ascii, 50), stress.StressTest50K(repeat(ascii, 50))));
        check("string-100k", () -> same(repeat(ascii, 100), stress.StressTest100K(repeat(ascii, 100))));
        check("string-1m", () -> same(repeat(ascii, 1024), stress.StressTest50K(repeat(ascii, 1024))));
        check("string-emoji-edge", () -> same(edge, stress.StressTest50K(edge)));
        check("string-cjk", () -> same(repeat("\u6c49", 40000), stress.StressTest50K(repeat("\u6c49", 40000))));
    }

    private static void beans(StressTestService stress, UserService users) {
        User user = new User(7L, "bob", null);
        check("bean", () -> same(user, stress.StressTestPojo(user)));
        check("bean-null", () -> same(null, stress.StressTestPojo(null)));
        check("bean-list", () -> same(Arrays.asList(user, user, new User()),
            stress.StressListUser(new ArrayList<>(Arrays.asList(user, user, new User())))));
        check("user-info", () -> same("userName9", users.getUserInfo(9).getUserName()));
    }

    private static Member member() {
        Member member = new Member();
        member.setUserId(1L << 40);
        member.setUserName("\u5f20");
        member.setLevel(-262145);
        member.setScore(1.1);
        member.setActive(true);
        member.setPicture(new byte[] {0, -1, 127});
        member.setColor(Color.GREEN);
        member.setBalance(new BigDecimal("12345678901234567890.123"));
        member.setFriends(new ArrayList<>(Arrays.asList(new User(2L, "eve", "r"))));
        member.setCounts(new HashMap<>(Map.of("a", 1L, "b", 1L << 33)));
        return member;
    }

    private static void types(TypesService types) {
        check("bool", () -> same(true, types.bool(true)));
        check("int8", () -> same((byte) -128, types.int8((byte) -128)));
        check("int16", () -> same((short) 32767, types.int16((short) 32767)));
        for (int value : new int[] {0, -17, 48, -2049, 2048, 262144, Integer.MIN_VALUE}) {
            check("int32 " + value, () -> same(value, types.int32(value)));
            check("int64 " + value, () -> same((long) value, types.int64(value)));
        }
        check("int64 max", () -> same(Long.MAX_VALUE, types.int64(Long.MAX_VALUE)));
        check("float32", () -> same(1.1f, types.float32(1.1f)));
        check("float64", () -> same(Math.PI, types.float64(Math.PI)));
        check("float64 nan", () -> same(Double.NaN, types.float64(Double.NaN)));
        check("char", () -> same('\u6c49', types.unit('\u6c49')));
        check("boxed-int", () -> same(5, types.boxedInt(5)));
        check("boxed-int null", () -> same(null, types.boxedInt(null)));
        check("boxed-long", () -> same(5L, types.boxedLong(5L)));
        check("boxed-double null", () -> same(null, types.boxedDouble(null)));
        check("text", () -> same("t", types.text("t")));
        byte[] bytes = new byte[70000];
        Arrays.fill(bytes, (byte) 7);
        check("bytes", () -> same(true, Arrays.equals(bytes, types.bytes(bytes))));
        check("ints", () -> same(true, Arrays.equals(new int[] {1, 300, -70000}, types.ints(new int[] {1, 300, -70000}))));
        check("texts", () -> same(true, Arrays.equals(new String[] {"a", null}, types.texts(new String[] {"a", null}))));
        check("longs", () -> same(List.of(1L, 2L), types.longs(new ArrayList<>(List.of(1L, 2L)))));
        check("set", () -> same(new HashSet<>(List.of("a", "b")), new HashSet<>(types.set(new HashSet<>(List.of("a", "b"))))));
        check("map", () -> same(Map.of("a", 1L), types.map(new HashMap<>(Map.of("a", 1L)))));
        check("member", () -> same(member(), types.member(member())));
        Member shared = member();
        check("members shared", () -> same(Arrays.asList(shared, shared), types.members(new ArrayList<>(Arrays.asList(shared, shared)))));
        check("enum", () -> same(Color.BLUE, types.color(Color.BLUE)));
        check("enum null", () -> same(null, types.color(null)));
        check("decimal", () -> same(new BigDecimal("1E+3"), types.decimal(new BigDecimal("1E+3"))));
        check("big", () -> same(new BigInteger("-123456789012345678901234567890"), types.big(new BigInteger("-123456789012345678901234567890"))));
        check("date", () -> same(new Date(1700000000123L), types.date(new Date(1700000000123L))));
        check("date minutes", () -> same(new Date(-60000L), types.date(new Date(-60000L))));
        check("local-date", () -> same(LocalDate.of(2024, 2, 29), types.localDate(LocalDate.of(2024, 2, 29))));
        LocalDateTime time = LocalDateTime.of(2024, 2, 29, 23, 59, 58, 123456789);
        check("local-date-time", () -> same(time, types.localDateTime(time)));
        check("instant", () -> same(Instant.ofEpochSecond(5, 6), types.instant(Instant.ofEpochSecond(5, 6))));
        check("duration", () -> same(Duration.ofSeconds(5, 6), types.duration(Duration.ofSeconds(5, 6))));
        UUID uuid = new UUID(1, 2);
        check("uuid", () -> same(uuid, types.uuid(uuid)));
        check("void", types::nothing);
        check("overload int", () -> same("int 5", types.over(5)));
        check("overload text", () -> same("text 5", types.over("5")));
        check("future", () -> same("later", types.later("later").get()));
    }

    private static void failures(TypesService types) {
        check("declared exception", () -> {
            try {
                types.failDeclared("no \u6c49 \uD83D\uDE00");
                throw new AssertionError("nothing was thrown");
            } catch (BizException thrown) {
                same("no \u6c49 \uD83D\uDE00", thrown.getMessage());
                same(42, thrown.getCode());
            }
        });
        check("runtime exception", () -> {
            try {
                types.failRuntime("broken");
                throw new AssertionError("nothing was thrown");
            } catch (RuntimeException thrown) {
                same(true, thrown.getMessage().contains("broken"));
                same(false, thrown instanceof org.apache.dubbo.rpc.RpcException);
            }
        });
    }

    private static void many(StressTestService stress) {
        check("1000 in flight", () -> {
            ExecutorService threads = Executors.newFixedThreadPool(100);
            List<Future<Boolean>> calls = new ArrayList<>();
            for (int n = 0; n < 1000; n++) {
                String token = n + repeat("-", n);
                Callable<Boolean> call = () -> token.equals(stress.StressTest50K(token));
                calls.add(threads.submit(call));
            }
            for (Future<Boolean> call : calls) same(true, call.get());
            threads.shutdown();
        });
    }

    private static void generic(String address) {
        check("generic", () -> {
            GenericService service = generic("com.dubbo.api.StressTestService", address, "true");
            Map<String, Object> user = new HashMap<>();
            user.put("class", "com.dubbo.vo.User");
            user.put("userId", 1L);
            user.put("userName", "a");
            String[] type = {"com.dubbo.vo.User"};
            waitFor(() -> service.$invoke("StressTestPojo", type, new Object[] {user}));
            Map<?, ?> back = (Map<?, ?>) service.$invoke("StressTestPojo", type, new Object[] {user});
            same("a", back.get("userName"));
            same("com.dubbo.vo.User", back.get("class"));
            same("x", service.$invoke("StressString", STRING, new Object[] {"x"}));
        });
        // Dubbo 2.7 takes the provider's own word `generic=false`, in registries, for the consumer's.
        if (Version.getVersion().startsWith("2.") && !address.startsWith("dubbo://")) return;
        check("generic gson", () -> {
            GenericService service = generic("com.dubbo.api.TypesService", address, "gson");
            waitFor(() -> service.$invoke("text", STRING, new Object[] {"\"up\""}));
            same("\"x\"", service.$invoke("text", STRING, new Object[] {"\"x\""}));
            same("1099511627776", service.$invoke("int64", new String[] {"long"}, new Object[] {"1099511627776"}));
            String[] type = {"com.dubbo.vo.Member"};
            Object[] member = {"{\"userId\": 7,\n \"userName\": \"\u5f20\", \"color\": \"GREEN\"}"};
            String back = (String) service.$invoke("member", type, member);
            for (String part : new String[] {"\"userId\":7", "\"userName\":\"\u5f20\"", "\"color\":\"GREEN\""}) {
                same(back, back.contains(part) ? back : part);
            }
        });
        check("generic raw.return", () -> {
            GenericService service = generic("com.dubbo.api.UserService", address, "raw.return");
            waitFor(() -> service.$invoke("getUserInfo", new String[] {"long"}, new Object[] {1L}));
            User user = (User) service.$invoke("getUserInfo", new String[] {"long"}, new Object[] {9L});
            same("userName9", user.getUserName());
        });
        // Bean is not even sent by Dubbo 3.2 and later.
        check("generic nativejava is refused", () -> {
            GenericService service = generic("com.dubbo.api.UserService", address, "nativejava");
            waitFor(() -> {
                try {
                    service.$invoke("getUserInfo", new String[] {"long"}, new Object[] {new byte[] {1}});
                    throw new AssertionError("nothing was thrown");
                } catch (RuntimeException thrown) {
                    String message = String.valueOf(thrown.getMessage());
                    String end = message.substring(Math.max(0, message.length() - 250));
                    same(end, message.contains("true, raw.return or gson") ? end : "the forms");
                }
            });
        });
    }

    private static final String[] STRING = {"java.lang.String"};

    private static GenericService generic(String service, String address, String form) {
        ReferenceConfig<GenericService> reference =
            Peer.reference(GenericService.class, Peer.VERSION, address);
        reference.setInterface(service);
        reference.setGeneric(form);
        return reference.get();
    }

    private static String repeat(String text, int times) {
        return text.repeat(times);
    }
}
