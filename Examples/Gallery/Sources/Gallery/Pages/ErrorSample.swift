import Kingfisher

/// A load that goes wrong, and what the view is told to do about it.
struct ErrorSample {
    /// What the view shows when the load has failed.
    enum Fallback {
        case nothing, placeholder, failureImage, alternative
    }

    let title: String
    let detail: String
    let fault: Fault
    var fallback = Fallback.placeholder
    var timeout: TimeInterval?

    static let all = [
        ErrorSample(title: "Not found", detail: "The placeholder stays.", fault: .missing),
        ErrorSample(
            title: "Failure image", detail: ".onFailureImage(picture)", fault: .missing,
            fallback: .failureImage),
        ErrorSample(
            title: "Not a picture", detail: "The answer is a web page.", fault: .broken, fallback: .nothing),
        ErrorSample(title: "Cut off", detail: "The connection breaks midway.", fault: .cut),
        ErrorSample(title: "Timeout", detail: "No answer within a second.", fault: .silent, timeout: 1),
        ErrorSample(title: "Redirect loop", detail: "The answer leads to itself.", fault: .circle),
        ErrorSample(title: "Busy server", detail: "Every other answer is a picture.", fault: .busy),
        ErrorSample(
            title: "Another source", detail: ".alternativeSources([backup])", fault: .missing,
            fallback: .alternative),
    ]
}
