package peer;

import com.dubbo.api.StressTestService;
import com.dubbo.api.TypesService;
import com.dubbo.api.UserService;
import java.lang.reflect.Method;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;

/** What both peers need: names, and settings that keep Dubbo to itself. */
final class Peer {
    static final String VERSION = "1.0.0";

    private Peer() {}

    static ApplicationConfig application(String name) {
        ApplicationConfig application = new ApplicationConfig(name);
        application.setQosEnable(false);
        // Setters that not every version has.
        set(application, "setQosAcceptForeignIp", Boolean.class, Boolean.FALSE);
        set(application, "setShutwait", String.class, "1000");
        return application;
    }

    static RegistryConfig registry(String address) {
        RegistryConfig registry = new RegistryConfig(address);
        registry.setTimeout(15000);
        return registry;
    }

    static <T> ReferenceConfig<T> reference(Class<T> type, String version, String address) {
        ReferenceConfig<T> reference = new ReferenceConfig<>();
        reference.setApplication(application("java-consumer"));
        reference.setInterface(type);
        if (version != null) reference.setVersion(version);
        if (address.startsWith("dubbo://")) {
            reference.setUrl(address);
            reference.setRegistry(registry("N/A"));
        } else {
            reference.setRegistry(registry(address));
        }
        reference.setTimeout(10000);
        reference.setRetries(0);
        reference.setCheck(false);
        return reference;
    }

    static Class<?>[] services() {
        return new Class<?>[] {StressTestService.class, UserService.class, TypesService.class};
    }

    private static void set(Object target, String setter, Class<?> type, Object value) {
        try {
            Method method = target.getClass().getMethod(setter, type);
            method.invoke(target, value);
        } catch (ReflectiveOperationException absent) {
            // Not in this version.
        }
    }
}
