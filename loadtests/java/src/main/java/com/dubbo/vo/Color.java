package com.dubbo.vo;

/** An enum. */
public enum Color { RED, GREEN, BLUE }
