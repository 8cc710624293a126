// Publishes a conversation with Kafka's own client:  java -cp 'kafka/libs/*' Publish.java [broker] [topic]
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

public class Publish {
    public static void main(String[] arguments) throws Exception {
        String broker = arguments.length > 0 ? arguments[0] : "127.0.0.1:9092";
        String topic = arguments.length > 1 ? arguments[1] : "mneme.messages";

        Properties settings = new Properties();
        settings.put("bootstrap.servers", broker);
        settings.put("acks", "all");
        settings.put("enable.idempotence", "true");

        String key = "default/standup"; // tenant/conversation: it decides the partition, and so the order
        List<String> events = List.of(
            """
            {"schema": "1.0", "event": "message", "conversation_id": "standup", "user_id": "mira", "message_id": "standup-1",
             "sender_name": "Mira", "sent_at": "2025-03-10T09:02:00+01:00",
             "content": "The release moves to Friday, because the pallet API is late."}""",
            """
            {"schema": "1.0", "event": "message", "conversation_id": "standup", "user_id": "mira", "message_id": "standup-2",
             "sender_id": "assistant", "role": "assistant", "sent_at": "2025-03-10T09:02:30+01:00",
             "content": "Noted: the release is on Friday, 14 March 2025."}""",
            """
            {"schema": "1.0", "event": "flush", "conversation_id": "standup", "flush_id": "standup-flush"}""");

        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            for (String event : events) {
                producer.send(new ProducerRecord<>(topic, key, event)).get(); // waits, and throws what went wrong
            }
        }
        System.out.println("sent " + events.size() + " events to " + topic);
    }
}
