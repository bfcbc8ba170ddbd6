import KingfisherGTK

/// A load that does not succeed at once, and what it has to come to.
struct DetourSample {
    /// Where an image is looked for.
    enum Place {
        case fault(Fault), photo(Photo)
    }

    let title: String
    let code: String
    /// The source that is asked for, and those that may stand in for it.
    let places: [Place]
    var strategy: DelayRetryStrategy?
    /// How often each place is asked.
    let requests: [Int]
    /// Seconds that the load waits between its requests, at least.
    var wait: TimeInterval = 0
    var succeeds = true

    static let retries = [
        DetourSample(
            title: "Third time lucky", code: "maxRetryCount: 3, retryInterval: .seconds(0.3)",
            places: [.fault(.stubborn)],
            strategy: DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0.3)), requests: [3],
            wait: 0.6),
        DetourSample(
            title: "Waits that grow", code: "retryInterval: .accumulated(0.2)", places: [.fault(.stubborn)],
            strategy: DelayRetryStrategy(maxRetryCount: 3, retryInterval: .accumulated(0.2)), requests: [3],
            wait: 0.6),
        DetourSample(
            title: "Given up", code: "maxRetryCount: 1", places: [.fault(.missing)],
            strategy: DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0.3)), requests: [2],
            wait: 0.3,
            succeeds: false),
        DetourSample(
            title: "Not worth a retry", code: "The answer is no image.", places: [.fault(.broken)],
            strategy: DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0.3)), requests: [1],
            succeeds: false),
    ]

    static let alternatives = [
        DetourSample(
            title: "The second one", code: ".alternativeSources([second])",
            places: [.fault(.missing), .photo(.rocket)], requests: [1, 1]),
        DetourSample(
            title: "The third one", code: ".alternativeSources([second, third])",
            places: [.fault(.missing), .fault(.broken), .photo(.coffee)], requests: [1, 1, 1]),
        DetourSample(
            title: "None of them", code: "alternativeSourcesExhausted",
            places: [.fault(.missing), .fault(.broken)], requests: [1, 1], succeeds: false),
        DetourSample(
            title: "Retried, then replaced", code: ".retryStrategy(…), .alternativeSources(…)",
            places: [.fault(.missing), .photo(.astronaut)],
            strategy: DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0.2)), requests: [3, 1],
            wait: 0.4),
    ]
}
