import Kingfisher

struct ErrorSample {
    enum Fallback {
        case placeholder, failureImage, alternative
    }

    let title: String
    let detail: String
    let fault: Fault
    var fallback = Fallback.placeholder
    var timeout: TimeInterval?

    static let all = [
        ErrorSample(
            title: "Not Found", detail: ".onFailureImage(…)", fault: .missing, fallback: .failureImage),
        ErrorSample(
            title: "Not an Image", detail: "Response is a web page", fault: .notAnImage),
        ErrorSample(title: "Truncated WebP", detail: "Placeholder stays visible", fault: .truncated),
        ErrorSample(
            title: "Connection Lost", detail: "Interrupted during the download", fault: .disconnected),
        ErrorSample(title: "Timeout", detail: "No response within 1 s", fault: .silent, timeout: 1),
        ErrorSample(title: "Redirect Loop", detail: "The URL redirects to itself", fault: .redirectLoop),
        ErrorSample(title: "Busy Server", detail: "Every second request succeeds", fault: .failsOnce),
        ErrorSample(
            title: "Alternative Source", detail: ".alternativeSources(…)", fault: .missing,
            fallback: .alternative),
    ]
}
