package com.dubbo.api;

import com.dubbo.vo.User;
import java.util.List;

/** The stress fixture's service: every method returns its argument. */
public interface StressTestService {
    String StressString(String text);
    String StressString1k(String text);
    String StressString1kNoFile(String text);
    User StressTestPojo(User user);
    List<User> StressListUser(List<User> users);
    String StressTest50K(String text);
    String StressTest100K(String text);
}
