package com.dubbo.api;

/** A checked exception that the interface declares. */
public class BizException extends Exception {
    private static final long serialVersionUID = 1L;
    private int code;

    public BizException() {}

    public BizException(String message, int code) {
        super(message);
        this.code = code;
    }

    public int getCode() { return code; }
}
