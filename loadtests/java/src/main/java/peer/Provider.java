package peer;

import com.dubbo.api.StressTestService;
import com.dubbo.api.TypesService;
import com.dubbo.api.UserService;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;

/** Serves all services: {@code peer.Provider PORT REGISTRY}. Ends when its standard input ends. */
public final class Provider {
    private Provider() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        ApplicationConfig application = Peer.application("java-provider");
        RegistryConfig registry = Peer.registry(args[1]);
        ProtocolConfig protocol = new ProtocolConfig("dubbo", port);
        protocol.setThreads(200);
        Handlers.Types types = new Handlers.Types();
        export(application, registry, protocol, StressTestService.class, new Handlers.Stress());
        export(application, registry, protocol, UserService.class, new Handlers.Users());
        export(application, registry, protocol, TypesService.class, types);
        System.out.println("ready dubbo=127.0.0.1:" + port);
        while (System.in.read() >= 0) {}
        // The shutdown hooks of Dubbo wait for their own sake.
        Runtime.getRuntime().halt(0);
    }

    private static <T> void export(ApplicationConfig application, RegistryConfig registry,
            ProtocolConfig protocol, Class<T> type, T handler) {
        ServiceConfig<T> service = new ServiceConfig<>();
        service.setApplication(application);
        service.setRegistry(registry);
        service.setProtocol(protocol);
        service.setInterface(type);
        service.setVersion(Peer.VERSION);
        service.setRef(handler);
        service.export();
    }
}
