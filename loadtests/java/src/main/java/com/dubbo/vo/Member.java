package com.dubbo.vo;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A bean with a parent, other beans, collections and an enum. */
public class Member extends User {
    private static final long serialVersionUID = 1L;
    private int level;
    private double score;
    private boolean active;
    private byte[] picture;
    private Color color;
    private BigDecimal balance;
    private List<User> friends = new ArrayList<>();
    private Map<String, Long> counts = new HashMap<>();

    public int getLevel() { return level; }
    public void setLevel(int level) { this.level = level; }
    public double getScore() { return score; }
    public void setScore(double score) { this.score = score; }
    public boolean isActive() { return active; }
    public void setActive(boolean active) { this.active = active; }
    public byte[] getPicture() { return picture; }
    public void setPicture(byte[] picture) { this.picture = picture; }
    public Color getColor() { return color; }
    public void setColor(Color color) { this.color = color; }
    public BigDecimal getBalance() { return balance; }
    public void setBalance(BigDecimal balance) { this.balance = balance; }
    public List<User> getFriends() { return friends; }
    public void setFriends(List<User> friends) { this.friends = friends; }
    public Map<String, Long> getCounts() { return counts; }
    public void setCounts(Map<String, Long> counts) { this.counts = counts; }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Member) || !super.equals(other)) return false;
        Member that = (Member) other;
        return level == that.level && score == that.score && active == that.active
            && java.util.Arrays.equals(picture, that.picture) && color == that.color
            && Objects.equals(balance, that.balance) && Objects.equals(friends, that.friends)
            && Objects.equals(counts, that.counts);
    }

    @Override
    public int hashCode() { return Objects.hash(super.hashCode(), level); }
}
