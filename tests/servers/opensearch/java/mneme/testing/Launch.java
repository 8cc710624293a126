package mneme.testing;

import java.nio.file.*;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;

/**
 * Starts one OpenSearch Node from a home directory (config/, modules/, plugins/).
 * Same Node class as the distribution; it only skips Bootstrap (no security manager,
 * no run-as-root refusal, no bootstrap checks, no native seccomp/mlockall).
 * usage: Launch HOME [key=value ...]
 */
public class Launch {
    public static void main(String[] a) throws Exception {
        Path home = Paths.get(a[0]).toAbsolutePath();
        Map<String, String> props = new HashMap<>();
        for (int i = 1; i < a.length; i++) {
            int e = a[i].indexOf('=');
            props.put(a[i].substring(0, e), a[i].substring(e + 1));
        }
        Settings s = Settings.builder().put("path.home", home.toString()).build();
        Environment env = InternalSettingsPreparer.prepareEnvironment(s, props, home.resolve("config"), () -> "n1");
        Thread.setDefaultUncaughtExceptionHandler((t, x) -> {
            System.err.println("uncaught in " + t.getName());
            x.printStackTrace();
            if (x instanceof Error) Runtime.getRuntime().halt(127);   // the distribution also exits on any uncaught Error
        });
        Node node = new Node(env);
        CountDownLatch done = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try { node.close(); } catch (Exception x) { x.printStackTrace(); } finally { done.countDown(); }
        }));
        node.start();
        System.out.println("STARTED");
        done.await();
    }
}
