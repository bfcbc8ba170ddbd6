/// A request of another service's URL has a canonical path, which a URL of this service can be.
extension ServiceOptions {
    /// Throws an error with the name of the other service's option after a value that has no canonical form.
    func checkValues(_ invalid: (String) -> ServiceError) throws(ServiceError) {
        guard let definition = ServiceOptionDefinition.forbidden(in: self) else { return }
        throw invalid("a value that the option '\(definition.name)' of this service can have")
    }
}

extension ServiceRequest {
    /// Throws an error if no URL of this service has so many steps and options.
    func checkCount() throws(ServiceError) {
        guard NativeWriter.segments(of: self).count <= SegmentList.maximum else {
            throw ServiceError(400, "More than \(SegmentList.maximum) steps and options.")
        }
    }
}
