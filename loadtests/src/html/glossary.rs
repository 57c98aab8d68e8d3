//! Words of the report, lines of `ab`, and published misreadings with what is right.

use super::markup::{Text, both};
use super::texts;

/// A word: its name, what it means, and what it is often taken for.
struct Term {
    name: Text,
    meaning: Text,
    misread: Option<Text>,
}

/// The glossary.
pub(super) fn section() -> String {
    let groups = [
        (texts::GLOSSARY_MISREAD, MISREAD),
        (texts::GLOSSARY_WORDS, WORDS),
        (texts::GLOSSARY_AB, LINES_OF_AB),
    ];
    let groups: String = groups
        .into_iter()
        .map(|(title, terms)| {
            let terms: String = terms.iter().map(term).collect();
            format!(r#"<details class="card" open><summary><h3>{}</h3></summary><dl class="terms">{terms}</dl></details>"#, both(title))
        })
        .collect();
    format!(
        r#"<section aria-labelledby="h-glossary" class="glossary"><h2 id="h-glossary">{}</h2>{groups}</section>"#,
        both(texts::GLOSSARY)
    )
}

fn term(term: &Term) -> String {
    let misread = term.misread.map_or(String::new(), |misread| {
        format!(r#"<p class="misread"><b>{}</b> {}</p>"#, both(texts::MISREAD), both(misread))
    });
    format!(
        "<div><dt>{}</dt><dd>{misread}<p>{}</p></dd></div>",
        both(term.name),
        both(term.meaning)
    )
}

macro_rules! terms {
    ($name:ident; $($en:literal, $zh:literal: $meaning_en:literal, $meaning_zh:literal $(; not $misread_en:literal, $misread_zh:literal)?;)*) => {
        const $name: &[Term] = &[$(Term {
            name: Text { en: $en, zh: $zh },
            meaning: Text { en: $meaning_en, zh: $meaning_zh },
            misread: terms!(@misread $($misread_en, $misread_zh)?),
        }),*];
    };
    (@misread) => { None };
    (@misread $en:literal, $zh:literal) => { Some(Text { en: $en, zh: $zh }) };
}

terms! { MISREAD;
    "Time per request (ab prints it twice)", "Time per request（ab 打印两次）":
        "ab computes both: the first is connections × time ÷ requests, the second time ÷ requests, which is 1 ÷ throughput. Neither is a measured latency, and the second says nothing of the server. The measured mean stands in the Total line of Connection Times.",
        "两个值都是 ab 算出来的：第一个 = 并发 × 总时间 ÷ 请求数，第二个 = 总时间 ÷ 请求数，即吞吐的倒数。两者都不是实测延迟，第二个也与服务器处理时间无关。实测均值在 Connection Times 的 Total 行。";
        not "the larger is the user's wait, the smaller the server's mean time", "大的是用户等待时间，小的是服务器平均处理时间";
    "-t of ab", "ab 的 -t":
        "A limit in seconds. There is none by default, and -t sets the number of requests to 50,000: a fast server ends the run long before its time. Give -n after -t for more.",
        "时间上限，单位为秒，默认没有。指定 -t 会把请求数设为 50000：服务器够快时，测试远未到时间就结束了。要更多请求，在 -t 之后再写 -n。";
        not "its default is 50,000 seconds", "默认 50000 秒";
    "sample (JMH)", "sample 模式（JMH）":
        "A mode that times some of the calls: its count says how many were sampled. It is not the number of requests, and calls that were not sampled are not in it.",
        "一种对部分调用计时的模式：其计数是被抽样的调用数，不是请求总数；未抽到的调用不在其中。";
        not "sample = number of requests", "sample 即请求数";
    "single shot (JMH)", "single shot 模式（JMH）":
        "A mode that times single calls, meant for the cold one. The published run made three warm-up shots in the same process first, so it shows shots 4 to 6: neither cold nor steady.",
        "对单次调用计时，本意正是测冷启动。文章那次测试先在同一进程里预热了三次，因此给出的是第 4 到第 6 次：既不是冷启动，也不是稳态。";
        not "rounds without a cold start", "不含冷启动的轮次";
    "The counter per second", "“每秒”计数器":
        "The published one prints when more than one whole second has passed, so every two seconds, and its count is not atomic. It reads about double. Here a second is a second.",
        "文章中的计数器在超过一整秒后才输出，实际两秒一次，而且计数不是原子操作，读数约为真实值的两倍。本报告的一秒就是一秒。";
        not "requests of one second", "一秒内的请求数";
    "“1 MB” per request", "每次请求“1 MB”":
        "The published handler makes an array of 1,048,576 references of four bytes: 4,194,320 bytes, 4 MiB. The published counts of collections fit 4 MiB and not 1 MB.",
        "文章中的处理器创建 1048576 个引用的数组，每个引用 4 字节，共 4194320 字节，即 4 MiB。公布的 GC 次数也与 4 MiB 吻合，与 1 MB 不符。";
        not "1 MB for each of 1000 users", "1000 个用户各 1 MB";
    "Keep-alive or not", "是否 keep-alive":
        "Without -k every request of ab pays for a new connection. A figure with keep-alive and one without are of different things; this page never compares them.",
        "不带 -k 时，ab 的每个请求都要新建连接。带与不带 keep-alive 测的是两回事，本报告不把两者放在一起比较。";
        not "nginx without -k and brpc with -k, side by side", "不带 -k 的 nginx 与带 -k 的 brpc 直接对比";
    "A pool of 200 that was never busy", "从未忙过的 200 线程池":
        "With 20 to 40 calls in flight at most, no more than 40 of the 200 workers can ever run. A larger pool changes nothing; a thread that waits for a task is idle, not stuck. See “pool busy”.",
        "同时在途的调用最多 20 到 40 个，200 个线程里最多只有 40 个在工作。把池调大不会有任何变化；等待任务的线程是空闲，不是卡死。参见“线程池忙”。";
        not "more threads should give more throughput", "线程越多吞吐越高";
    "ab's lone first request", "ab 单独发出的第一个请求":
        "Since 2.4.33 ab sends one request alone, and opens the other connections when it is answered. With a handler of one second, -n 10 -c 10 takes two seconds.",
        "自 2.4.33 起，ab 先单独发一个请求，等到应答后才建立其余连接。处理耗时一秒时，-n 10 -c 10 需要两秒。";
        not "the server was slow to begin", "服务器起步慢";
    "Answers that are errors", "应答其实是错误":
        "All 10,000 answers of the published Zuul runs were non-2xx: 118 bytes, the 404 page of a misspelt path. ab counts them as complete. They never reached a service; here such a run is INVALID.",
        "文章中 Zuul 的 10000 个应答全部是非 2xx：118 字节正是路径拼错时的 404 页面。ab 仍算作完成。请求根本没有到达服务；本报告把这种轮次标为无效。";
        not "a gateway almost as fast as Dubbo", "网关几乎与 Dubbo 一样快";
    "The mean of best and worst", "最好与最差的平均":
        "Two chosen runs say little of the others, and their mean says nothing. Here: all runs, and an interval. Likewise rates of clients that did not run at the same time must not be added.",
        "挑出来的两轮代表不了其余各轮，它们的平均更没有意义。本报告列出全部轮次和置信区间。同理，没有同时运行的客户端，吞吐不能相加。";
        not "the average result", "平均成绩";
    "An error larger than the mean", "误差大于均值":
        "6798 ± 6992 calls per second, from three iterations, is not a result: it includes zero. Here an interval that wide makes a run INVALID.",
        "三次迭代得出的 6798 ± 6992 次/秒不是结果：区间里包含零。本报告中，区间过宽的轮次视为无效。";
        not "6798 calls per second", "每秒 6798 次";
    "Two calls for one page", "一个页面两次调用":
        "The published Dubbo page joins the answers of two RPC calls: 3470 pages per second are about 6900 calls per second.",
        "文章中的 Dubbo 页面拼接了两次 RPC 的结果：每秒 3470 个页面约等于每秒 6900 次调用。";
        not "3470 calls per second", "每秒 3470 次调用";
    "Right length, wrong answer", "长度正确，内容错误":
        "ab compares lengths only, and a fallback text may be as long as the real one. Here contents are compared.",
        "ab 只比较长度，而降级文本可能与真实应答一样长。本报告比较的是内容。";
        not "no failed requests, so all were right", "没有失败请求，所以全部正确";
    "Blocking with ten connections", "十个连接的阻塞测试":
        "With ten calls in flight of one second each, ten per second is all there can be: 8.31 says nothing of blocking. Twelve rounds for 100 requests means nine workers. Compare at equal concurrency.",
        "十个在途调用、每个一秒，上限就是每秒十次：8.31 不能说明阻塞的影响。100 个请求用了 12 轮，说明只有九个工作线程。请在相同并发下比较。";
        not "blocking handlers reach 8 requests per second", "阻塞处理器只有每秒 8 个请求";
}

terms! { WORDS;
    "Right answers/s", "正确应答/秒": "Answers per second whose content was checked and right, with the 95 % interval from the run's seconds.", "每秒内容经校验且正确的应答数，附按逐秒数据得出的 95 % 置信区间。";
    "p50, p95, p99", "p50、p95、p99": "So many of 100 calls took at most so long. The highest one stands under max. Percentiles of several runs cannot be averaged.", "100 次调用中有这么多次的耗时不超过该值，最长一次列在“最大”。不同轮次的百分位不能取平均。";
    "In flight", "并发（在途）": "Calls under way at once, as -c of ab. A rate such as 2000/s stands for an open schedule: calls are made when they are due, answered or not.", "同时进行的调用数，同 ab 的 -c。若写作 2000/s 则为开环：到时即发，不等应答。";
    "Closed and open", "闭环与开环": "Closed: each answer is followed by the next call, so a slow server is asked less. Open: latency counts from when a call was due, so that waiting is not left out.", "闭环：收到应答才发下一个，服务器变慢时压力随之减小。开环：延迟自应发时刻起算，等待时间不会被漏掉。";
    "Pool busy", "线程池忙": "Handlers running at once: the mean, the highest, and the limit.", "同时运行的处理器数：均值、最大值与上限。";
    "Queue wait", "排队等待": "How long a call waited for a worker before its handler ran.", "调用在处理器运行之前等待工作线程的时间。";
    "CPU µs/call", "CPU 微秒/次": "Processor time of each process, divided by the calls; the sum leaves the generator out.", "各进程的 CPU 时间除以调用数；合计不含发压端。";
    "INVALID", "无效 INVALID": "A run that does not count: wrong answers, too many failures, a generator at its limit, an interval too wide, a machine busy with something else. It is shown, and compared with nothing.", "不计入结果的轮次：应答错误、失败过多、发压端到极限、区间过宽、主机另有负载等。仍列出，但不与任何结果比较。";
    "Knee", "拐点": "Where more load stops giving more throughput and only makes calls wait.", "继续加压不再提高吞吐、只会让调用排队的位置。";
    "Stolen, network interrupts", "被抢占、软中断": "Stolen: time that other machines on the same host took. Network interrupts: time of a core for packets; if one core has them all, it is the limit.", "被抢占：同一宿主机上其他虚拟机占用的时间。软中断：某个核处理网络包的时间；若全压在一个核上，它就是瓶颈。";
}

terms! { LINES_OF_AB;
    "Server Software, Hostname, Port", "Server Software、Hostname、Port": "Who answered, as the first answer says.", "应答方信息，取自第一个应答。";
    "Document Path, Document Length", "Document Path、Document Length": "What was asked for, and the length of the first answer's body. Later answers of another length count as failed.", "请求的路径，以及第一个应答正文的长度。之后长度不同的应答算失败。";
    "Concurrency Level", "Concurrency Level": "-c: connections at once, each with one request.", "即 -c：同时的连接数，每个连接一个请求。";
    "Time taken for tests", "Time taken for tests": "From the first request to the last answer, in seconds.", "从第一个请求到最后一个应答，单位秒。";
    "Complete requests", "Complete requests": "Answers received, errors among them.", "收到的应答数，其中包括错误应答。";
    "Failed requests", "Failed requests": "By connect, receive, length and exceptions. One request may be counted under two of them.", "按连接、接收、长度、异常分列。同一请求可能被计入两类。";
    "Write errors", "Write errors": "Requests that could not be sent.", "未能发出的请求数。";
    "Non-2xx responses", "Non-2xx responses": "Answers with another status. Printed only when there are some, and not counted as failed.", "其他状态码的应答。有才打印，且不算失败。";
    "Keep-Alive requests", "Keep-Alive requests": "Answers after which the connection was kept; printed with -k only.", "应答后连接被保留的请求数；仅在 -k 时打印。";
    "Total transferred, HTML transferred", "Total transferred、HTML transferred": "Bytes received with headers, and bodies alone.", "收到的字节数：含头部；仅正文。";
    "Requests per second", "Requests per second": "Complete requests ÷ time taken, errors among them.", "完成的请求数 ÷ 总时间，错误应答也算在内。";
    "Transfer rate", "Transfer rate": "Bytes received per second, in units of 1024 bytes.", "每秒收到的字节数，单位为 1024 字节。";
    "Connection Times", "Connection Times": "Connect: until connected. Processing: from then to the last byte. Waiting: until the first byte, a part of processing. Total: connect and processing, the measured latency.", "Connect：建立连接；Processing：之后到收完最后一个字节；Waiting：到第一个字节，是 Processing 的一部分；Total：前两者之和，才是实测延迟。";
    "Percentage of the requests", "Percentage of the requests": "Percentiles of Total in whole milliseconds; 100 % is the longest request.", "Total 的百分位，精确到整毫秒；100 % 即最长的请求。";
}

/// Every text of the glossary.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = Text> {
    let terms = [MISREAD, WORDS, LINES_OF_AB].into_iter().flatten();
    terms.flat_map(|term| [Some(term.name), Some(term.meaning), term.misread]).flatten()
}
