package com.dubbo.api;

import com.dubbo.vo.User;

/** The stress fixture's other service. */
public interface UserService {
    User getUserInfo(long id);
}
