package mneme.testing;

import java.io.Reader;
import java.util.*;
import java.util.function.*;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.cn.smart.*;
import org.apache.lucene.analysis.icu.*;
import org.apache.lucene.analysis.icu.segmentation.*;
import org.apache.lucene.analysis.ja.*;
import org.apache.lucene.analysis.ko.*;
import com.ibm.icu.text.Normalizer2;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.IndexSettings;
import org.opensearch.index.analysis.*;
import org.opensearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.opensearch.plugins.*;

/** Registers Lucene's ICU / Chinese / Japanese / Korean analysis under the names the official plugins use. */
public class CjkAnalysisPlugin extends Plugin implements AnalysisPlugin {

    static AnalysisProvider<AnalyzerProvider<? extends Analyzer>> an(Supplier<Analyzer> f) {
        return (is, env, name, st) -> {
            Analyzer one = f.get();
            return new AbstractIndexAnalyzerProvider<Analyzer>(is, name, st) { public Analyzer get() { return one; } };
        };
    }
    static AnalysisProvider<TokenizerFactory> tok(Function<Settings, Supplier<Tokenizer>> f) {
        return (is, env, name, st) -> {
            Supplier<Tokenizer> s = f.apply(st);
            return new AbstractTokenizerFactory(is, st, name) { public Tokenizer create() { return s.get(); } };
        };
    }
    static AnalysisProvider<TokenFilterFactory> fil(UnaryOperator<TokenStream> f) {
        return (is, env, name, st) -> new AbstractTokenFilterFactory(is, name, st) { public TokenStream create(TokenStream t) { return f.apply(t); } };
    }
    static JapaneseTokenizer ja(Settings s) {
        return new JapaneseTokenizer(null, s.getAsBoolean("discard_punctuation", true), true,
            JapaneseTokenizer.Mode.valueOf(s.get("mode", "search").toUpperCase(Locale.ROOT)));
    }
    static KoreanTokenizer ko(Settings s) {
        return new KoreanTokenizer(TokenStream.DEFAULT_TOKEN_ATTRIBUTE_FACTORY, null,
            KoreanTokenizer.DecompoundMode.valueOf(s.get("decompound_mode", "discard").toUpperCase(Locale.ROOT)), false);
    }
    static final Normalizer2 NFKC_CF = Normalizer2.getInstance(null, "nfkc_cf", Normalizer2.Mode.COMPOSE);

    @Override public Map<String, AnalysisProvider<CharFilterFactory>> getCharFilters() {
        return Map.of("icu_normalizer", (is, env, name, st) -> new AbstractCharFilterFactory(is, name) {
            public Reader create(Reader r) { return new ICUNormalizer2CharFilter(r, NFKC_CF); }
        });
    }
    @Override public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
        return Map.of(
            "icu_tokenizer", tok(s -> () -> new ICUTokenizer(new DefaultICUTokenizerConfig(true, true))),
            "smartcn_tokenizer", tok(s -> HMMChineseTokenizer::new),
            "kuromoji_tokenizer", tok(s -> () -> ja(s)),
            "nori_tokenizer", tok(s -> () -> ko(s)));
    }
    @Override public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
        return Map.of(
            "icu_folding", fil(ICUFoldingFilter::new),
            "icu_normalizer", fil(t -> new ICUNormalizer2Filter(t, NFKC_CF)),
            "kuromoji_baseform", fil(JapaneseBaseFormFilter::new),
            "kuromoji_stemmer", fil(JapaneseKatakanaStemFilter::new),
            "nori_readingform", fil(KoreanReadingFormFilter::new),
            "nori_part_of_speech", fil(KoreanPartOfSpeechStopFilter::new));
    }
    @Override public Map<String, AnalysisProvider<AnalyzerProvider<? extends Analyzer>>> getAnalyzers() {
        return Map.of(
            "icu_analyzer", an(() -> new Analyzer() {
                @Override protected TokenStreamComponents createComponents(String field) {
                    Tokenizer t = new ICUTokenizer(new DefaultICUTokenizerConfig(true, true));
                    return new TokenStreamComponents(t, new ICUFoldingFilter(t));
                }
            }),
            "smartcn", an(SmartChineseAnalyzer::new),
            "kuromoji", an(JapaneseAnalyzer::new),
            "nori", an(KoreanAnalyzer::new));
    }
}
