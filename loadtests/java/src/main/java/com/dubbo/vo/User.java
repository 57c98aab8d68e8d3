package com.dubbo.vo;

import java.io.Serializable;
import java.util.Objects;

/** The fixture's bean. */
public class User implements Serializable {
    private static final long serialVersionUID = 1L;
    private Long userId;
    private String userName;
    private String responseInfo;

    public User() {}

    public User(Long userId, String userName, String responseInfo) {
        this.userId = userId;
        this.userName = userName;
        this.responseInfo = responseInfo;
    }

    public Long getUserId() { return userId; }
    public void setUserId(Long userId) { this.userId = userId; }
    public String getUserName() { return userName; }
    public void setUserName(String userName) { this.userName = userName; }
    public String getResponseInfo() { return responseInfo; }
    public void setResponseInfo(String responseInfo) { this.responseInfo = responseInfo; }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof User)) return false;
        User that = (User) other;
        return Objects.equals(userId, that.userId)
            && Objects.equals(userName, that.userName)
            && Objects.equals(responseInfo, that.responseInfo);
    }

    @Override
    public int hashCode() { return Objects.hash(userId, userName, responseInfo); }

    @Override
    public String toString() { return "User(" + userId + ", " + userName + ", " + responseInfo + ")"; }
}
