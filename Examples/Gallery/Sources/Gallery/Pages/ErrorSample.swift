import Kingfisher

/// A load that goes wrong, and what the view is told to do about it.
struct ErrorSample {
    /// What the view shows when the load has failed.
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
            title: "Not found", detail: ".onFailureImage(…)", fault: .missing, fallback: .failureImage),
        ErrorSample(
            title: "Not an image", detail: "A web page came.", fault: .broken),
        ErrorSample(title: "Half a WebP", detail: "The placeholder stays.", fault: .truncated),
        ErrorSample(title: "Cut off", detail: "The line broke midway.", fault: .cut),
        ErrorSample(title: "Timeout", detail: "No answer in 1 s.", fault: .silent, timeout: 1),
        ErrorSample(title: "Redirect loop", detail: "The answer leads to itself.", fault: .circle),
        ErrorSample(title: "Busy server", detail: "Works every 2nd time.", fault: .busy),
        ErrorSample(
            title: "Another source", detail: ".alternativeSources(…)", fault: .missing,
            fallback: .alternative),
    ]
}
