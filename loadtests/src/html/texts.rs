//! The fixed texts of the page, each in both languages. One that lacks a language does not compile.
//! What other parts of the kit say in sentences stays English.

use super::markup::Text;

macro_rules! texts {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        $(pub(super) const $name: Text = Text { en: $en, zh: $zh };)*
        /// Every text.
        #[cfg(test)]
        pub(super) const ALL: &[(&str, Text)] = &[$((stringify!($name), $name)),*];
    };
}

texts! {
    TITLE: "Load-test report", "压测报告";
    PARTIAL: "CUT SHORT", "未跑完";
    PROCESSOR: "Processor", "处理器";
    CORES: "Cores", "核数";
    MEMORY: "Memory", "内存";
    SYSTEM: "System", "系统";
    VIRTUAL_MACHINE: "Virtual machine", "虚拟机";
    NO_VIRTUAL_MACHINE: "no", "否";
    TOOLS: "Tools", "工具";
    CHECKS_WELL: "checks of the machine are well", "项主机检查正常";
    CHECK_ILL: "MEND", "需处理";
    COPY: "Copy", "复制";

    RUNS: "Runs", "测试轮次";
    RUNS_HINT: "Only answers with the right content count. A run marked INVALID is shown, but kept out of comparisons and charts. Click a column to sort.",
        "只有内容正确的应答才计数。标记为“无效 INVALID”的轮次仍列出，但不参与比较和作图。点击表头可排序。";
    NO_RUNS: "The file holds no runs.", "文件中没有任何轮次。";
    HIGHEST_RATE: "Highest rate", "最高吞吐";
    LOWEST_P99: "Lowest p99", "最低 p99";
    FAILED_CALLS: "Failed calls", "失败调用";
    OF_CALLS: "of", "总计";
    ALL_VALID: "all valid", "全部有效";
    NAME: "Run", "轮次";
    TOOL: "Tool", "工具";
    IN_FLIGHT: "In flight", "并发";
    RATE: "Right answers/s", "正确应答/秒";
    P50: "p50 ms", "p50 毫秒";
    P95: "p95 ms", "p95 毫秒";
    P99: "p99 ms", "p99 毫秒";
    MAX: "max ms", "最大 毫秒";
    FAILURES: "Failed", "失败";
    CPU_PER_CALL: "CPU µs/call", "CPU 微秒/次";
    POOL_BUSY: "Pool busy", "线程池忙";
    QUEUE_WAIT: "Queue wait p99 ms", "排队 p99 毫秒";
    VERDICT: "Validity and verdict", "有效性与结论";
    REJECTED: "refused", "拒绝";
    WAITING: "waiting", "排队";
    IN_QUEUE: "in the queue", "排队中";
    IN_HANDLER: "in the handler", "处理中";
    ELSEWHERE: "elsewhere", "其他";
    FALLBACKS: "fallbacks", "降级";
    UNFINISHED: "unfinished", "未完成";
    LATE: "late", "迟发";
    DROPPED: "dropped", "未发出";

    VALID: "valid", "有效";
    INVALID: "INVALID", "无效 INVALID";
    REASON_WRONG_CONTENT: "wrong content", "内容错误";
    REASON_FAILURES: "failures", "失败过多";
    REASON_FALLBACKS: "fallback answers", "降级应答";
    REASON_NO_OVERLAP: "generators did not run together", "发压端未同时运行";
    REASON_GENERATOR: "the generator was the limit", "发压端成为瓶颈";
    REASON_WIDE_INTERVAL: "interval too wide", "置信区间过宽";
    REASON_BUSY_MACHINE: "busy machine", "主机另有负载";
    REASON_TOO_SHORT: "too short", "时间过短";
    REASON_PARTIAL: "cut short", "未跑完";
    REASON_UNCHECKED: "contents unchecked", "内容未校验";
    REASON_UNAVAILABLE: "not to be had here", "本机不具备条件";
    LIMIT_CLIENT: "limited by callers", "受限于调用方";
    LIMIT_POOL: "limited by the pool", "受限于线程池";
    LIMIT_CPU: "limited by processors", "受限于 CPU";
    LIMIT_WIRE: "limited by the network", "受限于网络";
    LIMIT_LOCK: "limited by a lock", "受限于锁";
    LIMIT_DOWNSTREAM: "limited downstream", "受限于下游";
    LIMIT_GENERATOR: "limited by the generator", "受限于发压端";
    LIMIT_UNCLEAR: "unclear", "不明确";
    CAUSE_CONNECT: "connect", "连接";
    CAUSE_RESET: "reset", "断开";
    CAUSE_TIMEOUT: "timeout", "超时";
    CAUSE_OVERLOADED: "overloaded", "过载";
    CAUSE_STATUS: "status", "状态码";
    CAUSE_CONTENT: "content", "内容";
    CAUSE_OTHER: "other", "其他";

    CHARTS: "Runs side by side", "多轮对比";
    CHARTS_HINT: "Valid runs only. Choose which are drawn; drag in a chart to zoom, double-click to zoom out.",
        "仅含有效轮次。可选择要画的轮次；在图中拖动放大，双击还原。";
    CHART_LATENCY: "Latency by percentile", "各百分位延迟";
    CHART_LATENCY_HINT: "ms, from asking (closed) or from when the call was due (open). Each step to the right is one nine more.",
        "毫秒；闭环自发出起算，开环自应发时刻起算。横轴每一格多一个 9。";
    CHART_RATE: "Throughput over time", "吞吐随时间变化";
    CHART_RATE_HINT: "right answers per second", "每秒正确应答数";
    CHART_P99: "p99 over time", "p99 随时间变化";
    CHART_P99_HINT: "ms, second by second", "毫秒，逐秒";
    ONE_RUN: "One run in depth", "单轮详情";
    CHOOSE_RUN: "Run", "轮次";
    ONE_INVALID: "INVALID: these charts show a run that does not count", "无效 INVALID：此轮不计入结果";
    CHART_POOL: "Provider's pool", "服务端线程池";
    CHART_POOL_HINT: "handlers running, calls waiting, and the limit", "运行中的处理器、排队的调用及上限";
    CHART_WAIT: "Wait for a worker", "排队等待时间";
    CHART_WAIT_HINT: "calls (log scale) by upper edge of the wait in ms", "调用数（对数轴），按等待时间上限（毫秒）分桶";
    CHART_CPU: "Processors in use", "CPU 占用";
    CHART_CPU_HINT: "by process; 1.0 is one core", "按进程；1.0 即一个核";
    CHART_MEMORY: "Resident memory", "常驻内存";
    CHART_MEMORY_HINT: "MiB, by process", "MiB，按进程";
    CHART_CORES: "Each core", "各 CPU 核";
    CHART_CORES_HINT: "share of the run's time", "占本轮时间的比例";

    SWEEP: "Sweep", "参数扫描";
    SWEEP_HINT: "Darker is higher. The knee is where more of the last setting stopped helping. INVALID cells have no colour.",
        "颜色越深数值越高。拐点之后，继续增大最后一个参数不再有益。无效格不着色。";
    MAP_RATE: "Right answers per second", "每秒正确应答";
    MAP_P99: "p99 in ms", "p99（毫秒）";
    KNEE: "knee", "拐点";
    NO_KNEE: "No knee: the rate still grew at the end, or never did.", "未见拐点：吞吐到最后仍在增长，或始终没有增长。";
    RECOMMENDATION: "What to set", "建议配置";
    GAIN: "Expected rate against the defaults:", "相对默认配置的预期吞吐：";
    ASSUMPTIONS: "What this rests on", "前提";

    ABLATION: "What a call costs", "一次调用的开销构成";
    ABLATION_HINT: "Processor time of one call, all processes together, by switching parts off in turn.",
        "逐项关闭各部分，测得一次调用在所有进程上的 CPU 时间。";
    PART: "Part", "部分";
    US_PER_CALL: "µs per call", "微秒/次";
    SHARE: "Share", "占比";
    LIKELY: "Likely between", "置信区间";
    EVERYTHING_ELSE: "everything else", "其余";
    WHOLE_CALL: "whole call", "整次调用";

    SEEDS: "Published beside measured", "文章数据与实测对照";
    SEEDS_HINT: "The ratio is measured over published, where both count; the mark stands between ×0.1 and ×10. Another machine gives other numbers: read what differs first.",
        "比值为实测除以公布值，仅在两者均有效时给出；标尺从 ×0.1 到 ×10。机器不同，数字自然不同：请先看“差异”。";
    ROW: "Row", "条目";
    PUBLISHED: "Published", "公布值";
    MEASURED: "Measured", "实测值";
    RATIO: "Ratio", "比值";
    DIFFERS: "What differs", "差异";
    NOTE: "Note", "说明";
    SEED_1: "ab on a Dubbo consumer, 1 KB and 100 KB", "ab 压测 Dubbo 消费者，1 KB 与 100 KB";
    SEED_2: "Dubbo, Spring Cloud and Zuul by ab", "用 ab 比较 Dubbo、Spring Cloud 与 Zuul";
    SEED_3: "ab and the JVM's heap, flash sale", "ab 与 JVM 堆调优，抢购场景";
    SEED_4: "ab on nginx and on a brpc HTTP server", "ab 压测 nginx 与 brpc HTTP 服务";
    SEED_5: "JMH on the Dubbo fixture", "JMH 压测 Dubbo 示例";

    GLOSSARY: "Glossary", "术语表";
    GLOSSARY_WORDS: "Words of this report", "本报告用语";
    GLOSSARY_AB: "Lines of ab", "ab 输出逐行解释";
    GLOSSARY_MISREAD: "Published misreadings, corrected", "常见误读更正";
    MISREAD: "Often read as:", "常被读作：";

    FOOTER_SELF_CONTAINED: "This page is complete in itself and asks no server for anything. Save it, send it, print it.",
        "本页面自成一体，不请求任何服务器。可直接保存、发送、打印。";
    FOOTER_THINNED: "Tables are exact. Charts are thinned: latency curves have 12 points in a factor of ten; neighbouring samples of a series over time are merged, so that rates, processors and busy workers show their mean, and p99, memory and waiting calls their highest. Points of a series at most:",
        "表格为精确值。图表经抽稀：延迟曲线每十倍 12 个点；时间序列合并相邻样本，吞吐、CPU、忙线程取均值，p99、内存、排队数取最大值。每条序列最多点数：";
    FOOTER_UPLOT: "Charts by uPlot 1.6.32, © Leon Sorokin, MIT License.", "图表由 uPlot 1.6.32 绘制，© Leon Sorokin，MIT 许可证。";
}

/// Texts that the script puts into charts.
pub(super) const OF_CHARTS: &[(&str, Text)] = &[
    ("percentile", Text { en: "percentile", zh: "百分位" }),
    ("seconds", Text { en: "s", zh: "秒" }),
    ("wait", Text { en: "wait ≤ ms", zh: "等待 ≤ 毫秒" }),
    ("calls", Text { en: "calls", zh: "调用数" }),
    ("busy", Text { en: "busy", zh: "忙" }),
    ("queued", Text { en: "waiting", zh: "排队" }),
    ("threads", Text { en: "limit", zh: "上限" }),
    ("core", Text { en: "core", zh: "核" }),
    ("user", Text { en: "programs", zh: "用户态" }),
    ("system", Text { en: "kernel", zh: "内核态" }),
    ("softirq", Text { en: "network interrupts", zh: "软中断" }),
    ("steal", Text { en: "stolen", zh: "被抢占" }),
    ("idle", Text { en: "idle", zh: "空闲" }),
    ("nothing", Text { en: "not recorded", zh: "未记录" }),
    ("none_chosen", Text { en: "choose a run above", zh: "请在上方选择轮次" }),
    ("log", Text { en: "log scale", zh: "对数轴" }),
    ("copied", Text { en: "copied", zh: "已复制" }),
    ("all", Text { en: "all", zh: "全选" }),
    ("none", Text { en: "none", zh: "全不选" }),
];
