package com.dubbo.api;

import com.dubbo.vo.Color;
import com.dubbo.vo.Member;
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

/** One method for each type, which returns its argument; and ways to fail. */
public interface TypesService {
    boolean bool(boolean value);
    byte int8(byte value);
    short int16(short value);
    int int32(int value);
    long int64(long value);
    float float32(float value);
    double float64(double value);
    char unit(char value);
    Integer boxedInt(Integer value);
    Long boxedLong(Long value);
    Double boxedDouble(Double value);
    String text(String value);
    byte[] bytes(byte[] value);
    int[] ints(int[] value);
    String[] texts(String[] value);
    List<Long> longs(List<Long> value);
    Set<String> set(Set<String> value);
    Map<String, Long> map(Map<String, Long> value);
    Member member(Member value);
    List<Member> members(List<Member> value);
    Color color(Color value);
    BigDecimal decimal(BigDecimal value);
    BigInteger big(BigInteger value);
    Date date(Date value);
    LocalDate localDate(LocalDate value);
    LocalDateTime localDateTime(LocalDateTime value);
    Instant instant(Instant value);
    Duration duration(Duration value);
    UUID uuid(UUID value);
    void nothing();
    String over(int value);
    String over(String value);
    CompletableFuture<String> later(String value);
    String failDeclared(String message) throws BizException;
    String failRuntime(String message);
}
