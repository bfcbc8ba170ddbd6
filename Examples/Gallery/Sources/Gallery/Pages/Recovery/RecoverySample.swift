import KingfisherGTK

struct RecoverySample {
    enum Location {
        case fault(Fault), photo(Photo)
    }

    let title: String
    let code: String
    /// The original source, followed by the alternatives.
    let locations: [Location]
    var strategy: DelayRetryStrategy?
    let requests: [Int]
    /// The minimum sum of the delays between requests, in seconds.
    var wait: TimeInterval = 0
    var succeeds = true

    static let retries = [
        RecoverySample(
            title: "Third Attempt Succeeds", code: "maxRetryCount: 3, retryInterval: .seconds(0.3)",
            locations: [.fault(.failsTwice)],
            strategy: DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0.3)), requests: [3],
            wait: 0.6),
        RecoverySample(
            title: "Increasing Delays", code: "retryInterval: .accumulated(0.2)",
            locations: [.fault(.failsTwice)],
            strategy: DelayRetryStrategy(maxRetryCount: 3, retryInterval: .accumulated(0.2)), requests: [3],
            wait: 0.6),
        RecoverySample(
            title: "All Attempts Fail", code: "maxRetryCount: 1", locations: [.fault(.missing)],
            strategy: DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0.3)), requests: [2],
            wait: 0.3,
            succeeds: false),
        RecoverySample(
            title: "Not Retried", code: "Response is not an image", locations: [.fault(.notAnImage)],
            strategy: DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0.3)), requests: [1],
            succeeds: false),
    ]

    static let alternatives = [
        RecoverySample(
            title: "Second Source", code: ".alternativeSources([second])",
            locations: [.fault(.missing), .photo(.rocket)], requests: [1, 1]),
        RecoverySample(
            title: "Third Source", code: ".alternativeSources([second, third])",
            locations: [.fault(.missing), .fault(.notAnImage), .photo(.coffee)], requests: [1, 1, 1]),
        RecoverySample(
            title: "All Sources Fail", code: "alternativeSourcesExhausted",
            locations: [.fault(.missing), .fault(.notAnImage)], requests: [1, 1], succeeds: false),
        RecoverySample(
            title: "Retry, Then Alternative", code: ".retryStrategy(…), .alternativeSources(…)",
            locations: [.fault(.missing), .photo(.astronaut)],
            strategy: DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0.2)), requests: [3, 1],
            wait: 0.4),
    ]
}
