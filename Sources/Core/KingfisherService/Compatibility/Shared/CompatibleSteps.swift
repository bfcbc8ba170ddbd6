import Kingfisher

/// The steps of a request that another service's URL describes, in order.
struct CompatibleSteps {
    /// As many as a URL of this service may have.
    private static let maximumCount = 32

    private(set) var steps: [ServiceRequest.Step] = []
    private let maximumSide: Int
    private let maximumPixels: Int

    init(_ settings: ServiceSettings) {
        (maximumSide, maximumPixels) = (settings.maximumResultSide, settings.maximumResultPixels)
    }

    /// Adds a step; `option` is what an error names.
    mutating func append(_ text: String, for option: String) throws(ServiceError) {
        guard steps.count < Self.maximumCount else {
            throw ServiceError(400, "There are more than \(Self.maximumCount) processing steps.")
        }
        let step: ServiceRequest.Step
        do {
            step = try ServiceRequest.Step(text)
        } catch {
            throw ServiceError(400, "\(option) is invalid: \(error).")
        }
        if let size = step.size { _ = try self.size(Int(size.width), Int(size.height), of: option) }
        steps.append(step)
    }

    /// `WxH` of a result, within the limits of the settings; a side of 0 is free.
    func size(_ width: Int, _ height: Int, of option: String) throws(ServiceError) -> String {
        let pixels = max(width, 1).multipliedReportingOverflow(by: max(height, 1))
        guard max(width, height) <= maximumSide, !pixels.overflow, pixels.partialValue <= maximumPixels
        else {
            let limits = "at most \(maximumSide) pixels a side and \(maximumPixels) in total"
            throw .invalid(option, expected: limits)
        }
        return "\(width)x\(height)"
    }
}
