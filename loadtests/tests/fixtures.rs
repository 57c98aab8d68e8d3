//! The fixture systems beside the echo: pages, sleeps, memory, the official benchmark, counters.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use loadtests::facts::page::get;
use support::gauges::{page_with, sample};
use support::http::{ask, got};
use support::stack::stack;

#[tokio::test]
async fn the_page_and_the_sleeping_answer_have_the_published_sizes() {
    let stack = stack(&[], &[]).await;
    let http = stack.http().unwrap();
    let request = "GET /index.html HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let (status, head, body) = ask(http, request).await;
    assert_eq!((status, body.len()), (200, 612));
    assert!(head.contains("content-type: text/html"), "{head}");
    for query in ["", "?sleep_ms=1", "?sleep_ms=1&mode=async", "?sleep_ms=1&mode=blocking"] {
        let (status, body) = got(http, &format!("/app/vss/streamAdd{query}")).await;
        assert_eq!((status, body.len()), (200, 24), "{query}");
    }
    for (query, says) in [
        ("?mode=fast", "fast"),
        ("?sleep_ms=soon", "sleep_ms"),
        ("?sleep_ms=-1", "sleep_ms"),
        ("?sleep_ms=60001", "use at most 60000"),
        ("?sleep=1", "unknown field `sleep`"),
    ] {
        let (status, body) = got(http, &format!("/app/vss/streamAdd{query}")).await;
        assert_eq!(status, 400, "{query}: {body}");
        assert!(body.contains(says), "{query}: {body}");
    }
    let page = get(http, "/metrics").await.unwrap();
    let name = "dubbo_consumer_http_endpoint_requests_total";
    let route = r#"{route="/app/vss/streamAdd",outcome="#;
    assert_eq!(sample(&page, &format!("{name}{route}\"success\"}}")), 4.0);
    assert_eq!(sample(&page, &format!("{name}{route}\"client_error\"}}")), 5.0);
    let route = r#"{route="/index.html",outcome="success"}"#;
    assert_eq!(sample(&page, &format!("{name}{route}")), 1.0);
    assert_eq!(sample(&page, "dubbo_consumer_http_requests_total"), 10.0);
    assert_eq!(sample(&page, "dubbo_consumer_http_failures_total"), 5.0);
    stack.stop().await;
}

#[tokio::test]
async fn blocking_requests_share_their_threads_and_wait_for_them() {
    let stack = stack(&[], &["--blocking-threads", "2"]).await;
    let http = stack.http().unwrap();
    let pool = "dubbo_consumer_http_blocking_thread_pool";
    for (mode, ran_on_threads, most_threads) in [("async", 0.0, 0.0), ("blocking", 7.0, 2.0)] {
        let path = format!("/app/vss/streamAdd?sleep_ms=100&mode={mode}");
        let answers = futures_util::future::join_all((0..7).map(|_| got(http, &path))).await;
        assert!(answers.iter().all(|(status, _)| *status == 200), "{answers:?}");
        let page = page_with(http, &format!("{pool}_completed_total"), ran_on_threads).await;
        assert_eq!(sample(&page, &format!("{pool}_largest_size")), most_threads, "{mode}");
        assert_eq!(sample(&page, &format!("{pool}_reject_thread_count_total")), 0.0);
    }
    stack.stop().await;
}

#[tokio::test]
async fn memory_is_taken_here_and_in_the_provider_however_it_is_asked_for() {
    let stack = stack(&[], &["--timeout", "20s"]).await;
    let http = stack.http().unwrap();
    let good = (200, "success".to_owned());
    for path in ["/jvm/heap", "/consumer/heap"] {
        for query in [
            "",
            "?bytes=4096&touch=false",
            "?bytes=20480&objects=200",
            "?objects=4&reuse=true",
            "?objects=4&reuse=true",
        ] {
            assert_eq!(got(http, &format!("{path}{query}")).await, good, "{path}{query}");
        }
        for (query, says) in [
            ("?bytes=0", "use 1 to 268435456"),
            ("?bytes=268435457", "use 1 to 268435456"),
            ("?bytes=99999999999", "bytes"),
            ("?bytes=10&objects=11", "use 1 to 10"),
            ("?touch=maybe", "touch"),
            ("?size=1", "unknown field `size`"),
        ] {
            let (status, body) = got(http, &format!("{path}{query}")).await;
            assert_eq!(status, 400, "{path}{query}: {body}");
            assert!(body.contains(says), "{path}{query}: {body}");
        }
    }
    let post = async |kind: &str, query: &str, body: &str| {
        let length = body.len();
        let request = format!(
            "POST /consumer/heap{query} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
             content-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        let (status, _, body) = ask(http, &request).await;
        (status, body)
    };
    let (form, json) = ("application/x-www-form-urlencoded", "application/json; charset=utf-8");
    assert_eq!(post(form, "", "bytes=1024&touch=true").await, good);
    assert_eq!(post(form, "", "").await, good);
    assert_eq!(post(json, "", r#"{"bytes":1024,"objects":8}"#).await, good);
    for (kind, query, body, status) in [
        (form, "", "bytes=0", 400),
        (form, "", "bytes=much", 400),
        (form, "?bytes=1", "bytes=1", 400),
        (json, "", r#"{"bytes":"much"}"#, 400),
        (json, "", r#"{"bytes":"#, 400),
        ("text/plain", "", "bytes=1", 415),
    ] {
        let answer = post(kind, query, body).await;
        assert_eq!(answer.0, status, "{kind} {query} {answer:?}");
        assert!(answer.1.contains("\"message\""), "{answer:?}");
    }
    stack.stop().await;
}

#[tokio::test]
async fn the_official_benchmark_is_answered_in_every_serialization() {
    for serialization in ["hessian2", "msgpack", "json", "raw"] {
        let flags = ["--serialization", serialization];
        let stack = stack(&flags, &flags).await;
        let http = stack.http().unwrap();
        // Ten of each: the rule of `existUser` looks at the last digit.
        for method in ["existUser", "createUser", "getUser", "listUser"] {
            for _ in 0..10 {
                let answer = got(http, &format!("/consumer/benchmark/{method}")).await;
                assert_eq!(answer, (200, "true".to_owned()), "{serialization} {method}");
            }
        }
        stack.stop().await;
    }
}

#[tokio::test]
async fn both_sides_count_the_same_calls_and_filters_can_be_switched_on() {
    let stack = stack(&["--filter", "accesslog"], &["--filter", "monitor"]).await;
    let http = stack.http().unwrap();
    for _ in 0..5 {
        assert_eq!(got(http, "/consumer/stressTest/string1k").await.0, 200);
    }
    assert_eq!(got(http, "/consumer/benchmark/getUser").await.0, 200);
    let page = get(stack.console().unwrap(), "/metrics").await.unwrap();
    let name = "dubbo_provider_requests";
    let labels = "interface=\"com.dubbo.api.StressTestService\",version=\"1.0.0\",group=\"\",\
                  method=\"StressString1k\"";
    assert_eq!(sample(&page, &format!("{name}_total{{{labels}}}")), 5.0);
    assert_eq!(sample(&page, &format!("{name}_succeed_total{{{labels}}}")), 5.0);
    for kind in ["exception", "overloaded", "error", "lost"] {
        let failed = format!("{name}_failed_total{{{labels},kind=\"{kind}\"}}");
        assert_eq!(sample(&page, &failed), 0.0);
    }
    assert_eq!(sample(&page, "dubbo_provider_requests_unrouted_total"), 0.0);
    let page = get(http, "/metrics").await.unwrap();
    let name = "dubbo_consumer_http_endpoint_requests_total";
    let labels = r#"{route="/consumer/stressTest/string1k",outcome="success"}"#;
    assert_eq!(sample(&page, &format!("{name}{labels}")), 5.0);
    assert_eq!(sample(&page, "dubbo_consumer_requests_total"), 6.0);
    assert_eq!(sample(&page, "dubbo_consumer_requests_succeed_total"), 6.0);
    assert_eq!(sample(&page, "dubbo_consumer_rt_seconds_count"), 6.0);
    assert_eq!(sample(&page, "dubbo_consumer_rt_seconds_bucket{le=\"+Inf\"}"), 6.0);
    stack.stop().await;
}

#[tokio::test]
async fn both_pages_tell_of_the_process_and_the_consumers_of_its_connections() {
    let stack = stack(&[], &["--connections", "3", "--http-threads", "2"]).await;
    let http = stack.http().unwrap();
    assert_eq!(got(http, "/consumer/stressTest/string").await.0, 200);
    for address in [http, stack.console().unwrap()] {
        let page = get(address, "/metrics").await.unwrap();
        let allocator = if cfg!(feature = "jemalloc") {
            "jemalloc"
        } else if cfg!(feature = "mimalloc") {
            "mimalloc"
        } else {
            "system"
        };
        assert_eq!(sample(&page, &format!("process_allocator_info{{name=\"{allocator}\"}}")), 1.0);
        assert!(sample(&page, "process_resident_memory_bytes") > 0.0);
        assert!(sample(&page, "process_threads") > 0.0);
        assert!(sample(&page, "process_open_fds") > 0.0);
        assert!(sample(&page, "process_cpu_seconds_total") >= 0.0);
    }
    // One for each HTTP thread.
    let page = page_with(http, "dubbo_consumer_providers", 2.0).await;
    assert!(sample(&page, "dubbo_consumer_connections") >= 1.0);
    assert_eq!(sample(&page, "dubbo_consumer_requests_processing"), 0.0);
    assert_eq!(sample(&page, "dubbo_consumer_reconnects_total"), 0.0);
    stack.stop().await;
}
