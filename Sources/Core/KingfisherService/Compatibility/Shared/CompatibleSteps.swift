import Foundation
import Kingfisher

/// The steps of a request that another service's URL describes, in order.
struct CompatibleSteps {
    private(set) var steps: [ServiceRequest.Step] = []
    private let limits: StepLimits

    init(_ settings: ServiceSettings) { limits = StepLimits(settings) }

    /// Adds a step; `option` is what an error names.
    mutating func append(_ text: String, for option: String) throws(ServiceError) {
        let step: ServiceRequest.Step
        do {
            step = try ServiceRequest.Step(text)
        } catch {
            throw ServiceError(400, "\(option) is invalid: \(error).")
        }
        if let size = step.size { try check(size, of: option) }
        steps.append(step)
    }

    /// `WxH` of a result, within the limits of the settings; a side of 0 is free.
    func size(_ width: Int, _ height: Int, of option: String) throws(ServiceError) -> String {
        try check(CGSize(width: width, height: height), of: option)
        return "\(width)x\(height)"
    }

    private func check(_ size: CGSize, of option: String) throws(ServiceError) {
        guard limits.allow(size) else { throw .invalid(option, expected: limits.text) }
    }
}
