import FoundationNetworking
import Kingfisher

extension AnyModifier {
    /// Sets a header field of each request.
    static func setting(_ field: String, to value: String?) -> AnyModifier {
        AnyModifier { request in
            var request = request
            request.setValue(value, forHTTPHeaderField: field)
            return request
        }
    }
}
