package peer;

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
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.dubbo.rpc.RpcContext;

/** The services. */
final class Handlers {
    private Handlers() {}

    static final class Stress implements StressTestService {
        public String StressString(String text) {
            String sent = RpcContext.getContext().getAttachment("from-rust");
            if (sent != null) RpcContext.getServerContext().setAttachment("from-java", sent + " back");
            return text;
        }
        public String StressString1k(String text) { return text; }
        public String StressString1kNoFile(String text) { return text; }
        public User StressTestPojo(User user) { return user; }
        public List<User> StressListUser(List<User> users) { return users; }
        public String StressTest50K(String text) { return text; }
        public String StressTest100K(String text) { return text; }
    }

    static final class Users implements UserService {
        public User getUserInfo(long id) { return new User(id, "userName" + id, "java"); }
    }

    static final class Types implements TypesService {
        public boolean bool(boolean value) { return value; }
        public byte int8(byte value) { return value; }
        public short int16(short value) { return value; }
        public int int32(int value) { return value; }
        public long int64(long value) { return value; }
        public float float32(float value) { return value; }
        public double float64(double value) { return value; }
        public char unit(char value) { return value; }
        public Integer boxedInt(Integer value) { return value; }
        public Long boxedLong(Long value) { return value; }
        public Double boxedDouble(Double value) { return value; }
        public String text(String value) { return value; }
        public byte[] bytes(byte[] value) { return value; }
        public int[] ints(int[] value) { return value; }
        public String[] texts(String[] value) { return value; }
        public List<Long> longs(List<Long> value) { return value; }
        public Set<String> set(Set<String> value) { return value; }
        public Map<String, Long> map(Map<String, Long> value) { return value; }
        public Member member(Member value) { return value; }
        public List<Member> members(List<Member> value) { return value; }
        public Color color(Color value) { return value; }
        public BigDecimal decimal(BigDecimal value) { return value; }
        public BigInteger big(BigInteger value) { return value; }
        public Date date(Date value) { return value; }
        public LocalDate localDate(LocalDate value) { return value; }
        public LocalDateTime localDateTime(LocalDateTime value) { return value; }
        public Instant instant(Instant value) { return value; }
        public Duration duration(Duration value) { return value; }
        public UUID uuid(UUID value) { return value; }
        public void nothing() {}
        public String over(int value) { return "int " + value; }
        public String over(String value) { return "text " + value; }
        public CompletableFuture<String> later(String value) {
            return CompletableFuture.supplyAsync(() -> value);
        }
        public String failDeclared(String message) throws BizException {
            throw new BizException(message, 42);
        }
        public String failRuntime(String message) { throw new IllegalStateException(message); }
    }
}
